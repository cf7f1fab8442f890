import type { Completion, CompletionContext, CompletionResult } from "@codemirror/autocomplete";
import { heads, keysAt, type Offer, valuesAt } from "./schema";

/** Where a place of the text is: the path of its table, the key whose value is being written, and the keys that the table has. */
export interface Where {
  path: string[];
  key: string | null;
  there: string[];
}

const HEAD = /^\s*\[\[?\s*([^\]]+?)\s*\]\]?/;
const ASSIGNED = /(?:^|[{,\n])\s*([\w-]+)\s*=/g;
const bare = (text: string): string => text.replace(/"(?:\\.|[^"\\])*"|'[^']*'/g, (s) => `"${"_".repeat(Math.max(0, s.length - 2))}"`);
const parts = (head: string): string[] => head.split(".").map((part) => part.trim().replace(/^["']|["']$/g, ""));

/** What the text before a place says of it. */
export function where(before: string): Where {
  const lines = before.split("\n"),
    begun = lines.findLastIndex((line) => HEAD.test(line));
  const path = begun < 0 ? [] : parts(HEAD.exec(lines[begun] ?? "")?.[1] ?? "");
  const body = bare(lines.slice(begun + 1).join("\n")).replace(/#.*$/gm, "");
  let top = 0; // where the innermost table begins
  const inside: { key: string; brace: boolean }[] = [];
  for (let i = 0; i < body.length; i++) {
    if ("{[".includes(body[i] ?? " ")) inside.push({ key: /([\w-]+)\s*=\s*$/.exec(body.slice(0, i))?.[1] ?? "", brace: body[i] === "{" });
    else if ("}]".includes(body[i] ?? " ")) inside.pop();
    if (body[i] === "{") top = i;
  }
  const braces = inside.filter(({ brace }) => brace),
    list = inside.at(-1)?.brace === false ? (inside.at(-1)?.key ?? null) : null; // a list's items are values of its key
  const own = braces.length ? body.slice(top) : outside(body);
  const last = own.split(braces.length ? /[{,\n]/ : "\n").at(-1) ?? "";
  const assigned = /^\s*([\w-]+)\s*=/.exec(last)?.[1] ?? null;
  return { path: [...path, ...braces.map(({ key }) => key)], key: list || assigned, there: [...own.matchAll(ASSIGNED)].map((m) => m[1] ?? "") };
}

/** A table's text without the tables inside it. */
const outside = (body: string): string => body.replace(/\{[^{}]*\}/g, "{}");

const OWNERS = ["points", "plates", "bodies", "drives"];

/** The names that a file gives to its points, plates, bodies and drives. */
export function namesOf(text: string): string[] {
  const names = new Set<string>();
  let table: string[] = [];
  for (const line of text.split("\n")) {
    const head = HEAD.exec(line)?.[1];
    if (head) table = parts(head);
    const [owner = "", own] = table,
      key = /^\s*([A-Za-z]\w*)\s*=/.exec(line)?.[1],
      point = /^\s*point\s*=\s*"(\w+)"/.exec(line)?.[1];
    if (OWNERS.includes(owner)) for (const name of [own ?? key, own ? point : undefined]) if (name) names.add(name);
    if (/^\s*points\s*=\s*\{/.test(line)) for (const [, name = ""] of line.matchAll(/[{,]\s*(\w+)\s*=/g)) names.add(name); // of a plate or a bar
  }
  return [...names];
}

const told = (offers: Offer[], type: string, after = ""): Completion[] => offers.map(({ text, about }) => ({ label: text, type, info: about || undefined, apply: text + after }));

/** What the schema of mechanism files lets one write here. */
export function complete(context: CompletionContext): CompletionResult | null {
  const line = context.state.doc.lineAt(context.pos),
    before = line.text.slice(0, context.pos - line.from);
  if (/#/.test(bare(before))) return null;
  const head = /^\s*(\[\[?[\w.]*)$/.exec(before);
  if (head) return { from: context.pos - (head[1]?.length ?? 0), to: line.to, options: told(heads(), "class"), validFor: /^\[\[?[\w.]*$/ };
  const text = context.state.doc.toString(),
    { path, key, there } = where(text.slice(0, context.pos));
  if (key) {
    const word = context.matchBefore(/"?[\w ^/]*$/)?.text.trimStart() ?? "";
    if (!word && !context.explicit && !/[=[,]\s*$/.test(before)) return null;
    const quoted = text[context.pos] === '"' ? 1 : 0; // the editor has closed it already
    return { from: context.pos - word.length, to: context.pos + quoted, options: told(valuesAt([...path, key], namesOf(text)), "constant") };
  }
  const word = context.matchBefore(/[\w-]*$/)?.text ?? "";
  if (!word && !context.explicit) return null;
  const begun = path.length ? [] : told(heads(), "class");
  return { from: context.pos - word.length, options: [...told(keysAt(path, there), "property", " = "), ...begun], validFor: /^[\w-]*$/ };
}
