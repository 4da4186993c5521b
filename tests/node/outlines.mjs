// Reads an OPML document from standard input as feedsmith does.
// Writes a JSON object: by folder, "" for none, the addresses of feeds by their titles.
import { readFileSync } from "node:fs";
import { parseOpml } from "feedsmith";

const found = { "": {} };
for (const { text, xmlUrl, outlines } of parseOpml(readFileSync(0, "utf8")).body.outlines) {
  if (outlines) found[text] = Object.fromEntries(outlines.map((each) => [each.text, each.xmlUrl]));
  else found[""][text] = xmlUrl;
}
process.stdout.write(JSON.stringify(found));
