/** What a piece of a TOML line is; "" is everything that keeps the text's own colour. */
export type Kind = "" | "key" | "string" | "number" | "comment" | "head";

/** What is still open where a line ends: a string of several lines, and how many brackets. */
export interface Open {
  quote: string;
  depth: number;
}

export interface Piece {
  kind: Kind;
  text: string;
}

const HEAD = /\s*\[\[?(?:[^\]"'#]|"[^"]*"|'[^']*')*\]\]?(?=\s*(?:#|$))/y;
const RULES: [Kind, RegExp][] = [
  ["comment", /#.*/y],
  ["key", /(?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*(?=\s*=)/y],
  ["string", /"(?:\\.|[^"\\])*"?|'[^']*'?/y],
  ["number", /[+-]?(?:\d[\w.:+-]*|inf|nan|true|false)(?![\w])/y],
  ["", /[\w-]+|\s+|./uy],
];

/** A line in pieces, and what is open after it. */
export function pieces(line: string, open: Open): [Piece[], Open] {
  const found: Piece[] = [];
  let { quote, depth } = open,
    at = 0;
  const take = (kind: Kind, end: number): void => {
    const last = found.at(-1),
      text = line.slice(at, end);
    if (last?.kind === kind) last.text += text;
    else if (text) found.push({ kind, text });
    at = end;
  };
  if (!quote && depth === 0) {
    HEAD.lastIndex = 0;
    if (HEAD.test(line)) take("head", HEAD.lastIndex);
  }
  while (at < line.length) {
    const start = quote ? "" : line.slice(at, at + 3);
    if (quote || start === '"""' || start === "'''") {
      const end = line.indexOf(quote || start, quote ? at : at + 3);
      quote = end < 0 ? quote || start : "";
      take("string", end < 0 ? line.length : end + 3);
      continue;
    }
    const [kind, end] = next(line, at);
    if (kind === "") depth = Math.max(0, depth + ("[{".includes(line[at] ?? " ") ? 1 : "]}".includes(line[at] ?? " ") ? -1 : 0));
    take(kind, end);
  }
  return [found, { quote, depth }];
}

function next(line: string, at: number): [Kind, number] {
  for (const [kind, rule] of RULES) {
    rule.lastIndex = at;
    if (rule.test(line)) return [kind, rule.lastIndex];
  }
  return ["", line.length];
}
