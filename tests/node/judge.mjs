// Judges pages by the rules of html-validate, which include those of accessibility.
// Reads from standard input a JSON object of pages by name; writes a JSON list of what is wrong.
import { readFileSync } from "node:fs";
import { HtmlValidate, StaticConfigLoader } from "html-validate";

// Whole pages by all that the package advises.
const EXTENDS = ["html-validate:recommended", "html-validate:document"];
const rules = {
  // Forms send each ticked box under the list's one name, and the bridge takes that for the list. The rule knows this
  // use for radio buttons alone.
  "form-dup-name": ["error", { shared: ["radio", "checkbox", "button", "reset", "submit"] }],
  // Moving stickers and GIFs are silent and short, and move in Telegram, too. The rule is about pages that speak up by
  // themselves.
  "no-autoplay": ["error", { include: ["audio"] }],
  // Numbers are shown as their writers typed them, and copied so.
  "tel-non-breaking": "off",
  // The sanitizer writes open="", which is the same.
  "attribute-boolean-style": "off",
  // What search engines cut off. Pages cut their titles at 70 characters as readers count them; the rule counts UTF-16
  // units, of which one emoji may have a dozen, and a reference such as &#39; as five.
  "long-title": "off",
};

const judge = new HtmlValidate(new StaticConfigLoader({ root: true, extends: EXTENDS, rules }));
const found = [];
for (const [page, html] of Object.entries(JSON.parse(readFileSync(0, "utf8")))) {
  const lines = html.split("\n");
  for (const { messages } of (await judge.validateString(html)).results) {
    for (const { ruleId, message, line, column } of messages) {
      found.push({ page, rule: ruleId, message, line, text: lines[line - 1].slice(Math.max(0, column - 60), column + 60) });
    }
  }
}
process.stdout.write(JSON.stringify(found));
