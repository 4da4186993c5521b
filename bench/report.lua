-- Counts answers with another status than the one given after "--", and prints wrk's figures as JSON. A second argument
-- is the number of channels: then "CHANNEL" and "LIMIT" in the path take turns, so that no path is asked for twice.
local threads = {}

function setup(thread)
  thread:set("number", #threads)
  table.insert(threads, thread)
end

function init(arguments)
  expected = tonumber(arguments[1])
  channels = tonumber(arguments[2])
  unexpected = 0
  asked = 0
  if channels then
    request = function()
      local turn = asked * 2 + number
      asked = asked + 1
      local limit = 100 - math.floor(turn / channels) % 100
      local path = wrk.path:gsub("CHANNEL", turn % channels):gsub("LIMIT", limit)
      return wrk.format(nil, path)
    end
  end
end

function response(status, headers, body)
  if status ~= expected then
    unexpected = unexpected + 1
  end
end

function done(summary, latency, requests)
  local others = 0
  for _, thread in ipairs(threads) do
    others = others + thread:get("unexpected")
  end
  local e = summary.errors
  io.write(string.format(
    '\nREPORT {"requests": %d, "bytes": %d, "duration_us": %d, "p50_us": %f, "p99_us": %f, "max_us": %f, ' ..
    '"unexpected": %d, "socket_errors": %d}',
    summary.requests, summary.bytes, summary.duration, latency:percentile(50), latency:percentile(99), latency.max,
    others, e.connect + e.read + e.write + e.timeout))
end
