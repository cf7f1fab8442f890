import type { Point } from "../../core/stage";

/** A file to begin with. */
export const BLANK = `schema = "closedchain.mechanism/1"
name = "mine"
`;

interface Block {
  head: string; // drives.q1, points, bars; empty: what stands before the first head
  many: boolean; // of an array of tables
  start: number; // lines, the end excluded
  end: number;
}

const HEAD = /^\s*(\[\[?)\s*([^\]]+?)\s*\]\]?\s*(?:#.*)?$/;

function blocks(lines: string[]): Block[] {
  const made: Block[] = [{ head: "", many: false, start: 0, end: lines.length }];
  lines.forEach((line, i) => {
    const found = HEAD.exec(line),
      last = made.at(-1);
    if (!found || !last) return;
    last.end = i;
    made.push({ head: (found[2] ?? "").replaceAll(/["'\s]/g, ""), many: found[1] === "[[", start: i, end: lines.length });
  });
  return made;
}

/** A number as a file writes it: to a hundredth of a millimetre. */
export const written = (value: number): string => String(Number(value.toFixed(5)));
export const pair = (at: Point): string => `[${written(at[0])}, ${written(at[1])}]`;

const edited = (text: string, change: (lines: string[], parts: Block[]) => void): string => {
  const lines = text.split("\n");
  change(lines, blocks(lines));
  return lines.join("\n");
};

const tidied = (text: string): string => `${text.replace(/\n{3,}/g, "\n\n").trimEnd()}\n`;

/** The text with a key of the file itself: output = "C". */
export const withKey = (text: string, key: string, value: string): string =>
  edited(text, (lines, [top]) => {
    const at = lines.findIndex((line, i) => i < (top?.end ?? 0) && new RegExp(`^\\s*${key}\\s*=`).test(line));
    if (at >= 0) lines[at] = `${key} = ${value}`;
    else lines.splice(lines.findLastIndex((line, i) => i < (top?.end ?? 0) && line.trim() !== "") + 1, 0, `${key} = ${value}`);
  });

/** The text with one more point: C = { free = true }. */
export const withPoint = (text: string, name: string, value: string): string =>
  edited(text, (lines, parts) => {
    const own = parts.find((part) => part.head === "points");
    const line = `${name} = { ${value} }`;
    if (own) lines.splice(lines.findLastIndex((one, i) => i < own.end && i >= own.start && one.trim() !== "") + 1, 0, line);
    else lines.push(...(lines.at(-1)?.trim() ? [""] : []), "[points]", line, "");
  });

/** The text with a table at its end. */
export const withTable = (text: string, head: string, ...rows: string[]): string => `${text.trimEnd()}\n\n${head}\n${rows.join("\n")}\n`;

/** The lines of a point, a drive, a plate, or the bar of a number. */
function place(parts: Block[], lines: string[], what: string): { start: number; end: number } | null {
  const bar = /^bars\[(\d+)\]$/.exec(what);
  if (bar) return parts.filter((part) => part.many && part.head === "bars")[Number(bar[1])] ?? null;
  const whole = parts.find((part) => part.head === what);
  if (whole) return whole;
  const [holder = "", name = ""] = what.split("."),
    own = parts.find((part) => part.head === holder);
  const at = own ? lines.findIndex((line, i) => i >= own.start && i < own.end && new RegExp(`^\\s*${name}\\s*=`).test(line)) : -1;
  return at >= 0 ? { start: at, end: at + 1 } : null;
}

/** The text without a point, a drive, a plate, or the bar of a number. */
export const without = (text: string, what: string): string =>
  tidied(
    edited(text, (lines, parts) => {
      const own = place(parts, lines, what);
      if (own) lines.splice(own.start, own.end - own.start);
    }),
  );

/** The text with another value of a key of a point, a drive, a plate or a bar, also inside a table in its lines. */
export const withValue = (text: string, what: string, key: string, value: string): string =>
  edited(text, (lines, parts) => {
    const own = place(parts, lines, what);
    if (!own) return;
    const key_ = new RegExp(`((?:^|[\\s,{])${key}\\s*=\\s*)(\\[[^\\]]*\\]|"[^"]*"|[^,}\\s#]+)`);
    for (let i = own.start; i < own.end; i++) {
      const line = lines[i] ?? "";
      if (!key_.test(line)) continue;
      lines[i] = line.replace(key_, (_, before: string) => before + value);
      return;
    }
    if (own.end === own.start + 1) lines[own.start] = (lines[own.start] ?? "").replace(/\s*\}\s*$/, `, ${key} = ${value} }`);
    else lines.splice(own.start + 1, 0, `${key} = ${value}`);
  });
