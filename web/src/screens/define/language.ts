import { HighlightStyle, StreamLanguage, type StringStream, syntaxHighlighting } from "@codemirror/language";
import type { Extension } from "@codemirror/state";
import { tags } from "@lezer/highlight";

/** What is open where a line ends: a string of several lines, and how many brackets. */
interface Open {
  quote: string;
  depth: number;
}

const HEAD = /^\[\[?(?:[^\]"'#]|"[^"]*"|'[^']*')*\]\]?(?=\s*(?:#|$))/;
const KEY = /^(?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*(?=\s*=)/;
const STRING = /^(?:"(?:\\.|[^"\\])*"?|'[^']*'?)/;
const NUMBER = /^[+-]?(?:\d[\w.:+-]*|inf|nan|true|false)(?!\w)/;

function token(stream: StringStream, open: Open): string | null {
  if (open.quote || stream.match('"""', false) || stream.match("'''", false)) return long(stream, open);
  const first = stream.string.slice(0, stream.pos).trim() === "";
  if (stream.eatSpace()) return null;
  if (stream.match(/^#.*/)) return "comment";
  if (first && open.depth === 0 && stream.match(HEAD)) return "heading";
  if (stream.match(KEY)) return "propertyName";
  if (stream.match(STRING)) return "string";
  if (stream.match(NUMBER)) return "number";
  const letter = stream.next() ?? "";
  if ("[{".includes(letter)) open.depth++;
  else if ("]}".includes(letter)) open.depth = Math.max(0, open.depth - 1);
  else stream.eatWhile(/[\w-]/);
  return null;
}

/** A string between three quotes, which may end in another line. */
function long(stream: StringStream, open: Open): string {
  if (!open.quote) {
    open.quote = stream.string.slice(stream.pos, stream.pos + 3);
    stream.pos += 3;
  }
  const end = stream.string.indexOf(open.quote, stream.pos);
  if (end < 0) stream.skipToEnd();
  else {
    stream.pos = end + 3;
    open.quote = "";
  }
  return "string";
}

const toml = StreamLanguage.define<Open>({
  name: "toml",
  startState: () => ({ quote: "", depth: 0 }),
  copyState: (open) => ({ ...open }),
  token,
  languageData: { commentTokens: { line: "#" }, closeBrackets: { brackets: ["(", "[", "{", '"'] } },
});

const colours = HighlightStyle.define([
  { tag: tags.propertyName, class: "key" },
  { tag: tags.string, class: "string" },
  { tag: tags.number, class: "number" },
  { tag: tags.comment, class: "comment" },
  { tag: tags.heading, class: "head" },
]);

/** TOML in the colours of the page's own sheet. */
export const language = (): Extension => [toml, syntaxHighlighting(colours)];
