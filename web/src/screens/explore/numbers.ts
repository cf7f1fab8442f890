import { el } from "../../core/dom";
import { decimalsFor } from "../../core/numbers";
import { button, numberField } from "../../core/widgets";
import { MOST, type Path, pathOf, type Shape } from "./way";

export interface PathNumbers {
  element: HTMLElement;
  /** Show the fields of a shape with these numbers; a field that is being typed into keeps its text. */
  show(shape: Shape, path: Path): void;
}

/** The numbers of a path, for hands without a pointer: ends, centre and radius, or corners. */
export function pathNumbers(size: number, commit: (path: Path) => void): PathNumbers {
  let held: Path | null = null;
  const field = (label: string, read: (path: Path) => number | null, write: (path: Path, value: number) => Path): { element: HTMLElement; show(): void } => {
    const min = label === "radius" ? 1e-9 * size : undefined;
    const made = numberField({ label, unit: "m", decimals: decimalsFor(size), min, commit: (value) => held && commit(write(held, value)) });
    return { element: made.element, show: () => made.show(held ? read(held) : null) };
  };
  const end = (which: "from" | "to", i: 0 | 1): ReturnType<typeof field> =>
    field(
      `${which} ${"xy"[i]}`,
      (p) => (p.kind === "quintic" ? (p[which][i] ?? 0) : null),
      (p, v) => (p.kind === "quintic" ? { ...p, [which]: put(p[which], i, v) } : p),
    );
  const middle = (i: 0 | 1): ReturnType<typeof field> =>
    field(
      `centre ${"xy"[i]}`,
      (p) => (p.kind === "circle" ? (p.centre[i] ?? 0) : null),
      (p, v) => (p.kind === "circle" ? { ...p, centre: put(p.centre, i, v) } : p),
    );
  const radius = field(
    "radius",
    (p) => (p.kind === "circle" ? p.radius : null),
    (p, v) => (p.kind === "circle" ? { ...p, radius: v } : p),
  );
  const corners = cornersField((path) => commit(path));
  const groups: Record<Shape, { element: HTMLElement; fields: { show(): void }[] }> = {
    line: group([end("from", 0), end("from", 1), end("to", 0), end("to", 1)]),
    circle: group([middle(0), middle(1), radius]),
    points: { element: corners.element, fields: [{ show: () => corners.show(held) }] },
  };
  const use = button("Use these numbers", () => held && commit(held));
  const element = el("div", { class: "stack path-numbers" }, ...Object.values(groups).map((g) => g.element), el("div", { class: "row" }, use));
  return {
    element,
    show: (shape, path) => {
      held = path;
      for (const [name, one] of Object.entries(groups)) one.element.hidden = name !== shape;
      for (const one of groups[shape].fields) one.show();
    },
  };
}

const put = (point: number[], i: number, value: number): number[] => point.map((v, k) => (k === i ? value : v));

function group(fields: { element: HTMLElement; show(): void }[]): { element: HTMLElement; fields: { show(): void }[] } {
  return { element: el("div", { class: "pair" }, ...fields.map((f) => f.element)), fields };
}

/** Corners as text: x y; x y; … */
function cornersField(commit: (path: Path) => void): { element: HTMLElement; show(path: Path | null): void } {
  const text = el("textarea", { id: "path-corners", rows: 3, spellcheck: "false", autocomplete: "off", "aria-describedby": "path-corners-hint" });
  const hint = el("p", { class: "small soft", id: "path-corners-hint" }, `x y in metres, a semicolon between points; from 2 to ${MOST}.`);
  text.addEventListener("change", () => {
    const rows = text.value
      .replaceAll("−", "-")
      .split(/[;\n]/)
      .map((row) => row.trim())
      .filter(Boolean)
      .map((row) => row.split(/[\s,]+/).map(Number));
    const path = rows.every((row) => row.length === 2) ? pathOf({ kind: "spline", through: rows }) : null;
    text.setAttribute("aria-invalid", String(path === null));
    if (path) commit(path);
  });
  const show = (path: Path | null): void => {
    if (path?.kind !== "spline" || document.activeElement === text) return;
    text.value = path.through.map((row) => row.map((v) => String(Number(v.toPrecision(5)))).join(" ")).join("; ");
    text.setAttribute("aria-invalid", "false");
  };
  return { element: el("div", { class: "stack" }, el("label", { for: "path-corners", class: "soft" }, "corners"), text, hint), show };
}
