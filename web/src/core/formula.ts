/** Arithmetic as the server reads it: numbers, names, + - * / ** ( ) and functions; nothing is run but this. */
const FUNCTIONS: Record<string, (a: number, b: number) => number> = {
  sin: Math.sin,
  cos: Math.cos,
  tan: Math.tan,
  asin: Math.asin,
  acos: Math.acos,
  atan: Math.atan,
  atan2: Math.atan2,
  sqrt: Math.sqrt,
  exp: Math.exp,
  log: Math.log,
  tanh: Math.tanh,
  abs: Math.abs,
};
const TOKEN = /\s*((?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w.])|[A-Za-z_]\w*|\*\*|[-+*/(),])\s*/y;

/** A value for names of numbers. */
export type Value = (names: Record<string, number>) => number;

class Unreadable extends Error {}

/** The value that a text spells, of the names it is given later; null where it is no arithmetic, or names what is not there. */
export function formulaOf(source: string | number, known: ReadonlySet<string>): Value | null {
  try {
    const tokens = split(String(source));
    const value = sum(tokens, known);
    return tokens.length ? null : value;
  } catch (error) {
    if (error instanceof Unreadable) return null;
    throw error;
  }
}

function split(source: string): string[] {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < source.length) {
    const found = TOKEN.exec(source);
    if (!found?.[1] || tokens.length > 500) throw new Unreadable(source);
    tokens.push(found[1]);
  }
  return tokens;
}

function sum(tokens: string[], known: ReadonlySet<string>): Value {
  let left = product(tokens, known);
  while (tokens[0] === "+" || tokens[0] === "-") {
    const sign = tokens.shift() === "+" ? 1 : -1,
      a = left,
      b = product(tokens, known);
    left = (names) => a(names) + sign * b(names);
  }
  return left;
}

function product(tokens: string[], known: ReadonlySet<string>): Value {
  let left = signed(tokens, known);
  while (tokens[0] === "*" || tokens[0] === "/") {
    const times = tokens.shift() === "*",
      a = left,
      b = signed(tokens, known);
    left = times ? (names) => a(names) * b(names) : (names) => a(names) / b(names);
  }
  return left;
}

/** A sign binds less than a power on its right: -a**2 is -(a**2), and 2**-1 is a half. */
function signed(tokens: string[], known: ReadonlySet<string>): Value {
  if (tokens[0] !== "-" && tokens[0] !== "+") return power(tokens, known);
  const sign = tokens.shift() === "+" ? 1 : -1,
    inner = signed(tokens, known);
  return (names) => sign * inner(names);
}

function power(tokens: string[], known: ReadonlySet<string>): Value {
  const base = atom(tokens, known);
  if (tokens[0] !== "**") return base;
  tokens.shift();
  const exponent = signed(tokens, known);
  return (names) => base(names) ** exponent(names);
}

function atom(tokens: string[], known: ReadonlySet<string>): Value {
  const token = tokens.shift() ?? "";
  if (token === "(") {
    const inner = sum(tokens, known);
    expect(tokens, ")");
    return inner;
  }
  if (/^[\d.]/.test(token)) return constant(Number(token));
  if (known.has(token)) return (names) => names[token] ?? NaN;
  if (token === "pi") return constant(Math.PI);
  if (token === "deg") return constant(Math.PI / 180);
  const call = Object.hasOwn(FUNCTIONS, token) ? FUNCTIONS[token] : undefined;
  if (!call) throw new Unreadable(token);
  expect(tokens, "(");
  const first = sum(tokens, known);
  const second = token === "atan2" ? (expect(tokens, ","), sum(tokens, known)) : constant(0);
  expect(tokens, ")");
  return (names) => call(first(names), second(names));
}

const constant =
  (value: number): Value =>
  () =>
    value;

function expect(tokens: string[], wanted: string): void {
  if (tokens.shift() !== wanted) throw new Unreadable(wanted);
}
