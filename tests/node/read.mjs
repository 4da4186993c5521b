// Reads the feeds at the addresses of the command line as feedsmith and rss-parser do.
// Writes a JSON object: by address, by reader, the items in their order; `rssParser` is missing for what it can't read.
import { parseFeed } from "feedsmith";
import Parser from "rss-parser";

const ofFeedsmith = {
  rss: (item) => ({
    id: item.guid?.value,
    title: item.title,
    link: item.link,
    html: item.content?.encoded,
    date: item.pubDate,
    files: (item.enclosures ?? []).map(({ url, type, length }) => ({ url, type, length })),
  }),
  atom: (entry) => ({
    id: entry.id,
    title: entry.title?.value,
    link: entry.links?.find(({ rel }) => rel === "alternate")?.href,
    html: entry.content?.value,
    date: entry.published,
    files: entry.links
      .filter(({ rel }) => rel === "enclosure")
      .map(({ href, type, length }) => ({ url: href, type, length })),
  }),
  json: (item) => ({
    id: item.id,
    title: item.title,
    link: item.url,
    html: item.content_html,
    date: item.date_published,
    files: (item.attachments ?? []).map(({ url, mime_type: type, size_in_bytes: length }) => ({ url, type, length })),
  }),
};

const ofRssParser = (item) => ({
  id: item.guid ?? item.id,
  title: item.title,
  link: item.link,
  html: item["content:encoded"] ?? item.content,
  date: item.isoDate,
});

const found = {};
for (const address of process.argv.slice(2)) {
  const text = await (await fetch(address)).text();
  const { format, feed } = parseFeed(text);
  found[address] = { feedsmith: (feed.items ?? feed.entries ?? []).map(ofFeedsmith[format]) };
  if (format !== "json") {
    found[address].rssParser = (await new Parser().parseURL(address)).items.map(ofRssParser);
  }
}
process.stdout.write(JSON.stringify(found));
