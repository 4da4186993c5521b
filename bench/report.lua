-- Counts answers with another status than the one given after "--", and prints wrk's figures as JSON.
local threads = {}

function setup(thread)
  table.insert(threads, thread)
end

function init(arguments)
  expected = tonumber(arguments[1])
  unexpected = 0
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
