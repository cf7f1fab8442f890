import { el } from "../../core/dom";
import { copy } from "../../core/taking";
import { toast } from "../../core/toast";
import { button } from "../../core/widgets";
import type { EquationRow } from "../../messages";

const MATHML = "http://www.w3.org/1998/Math/MathML";
const ELEMENTS = new Set(["math", "mrow", "mi", "mn", "mo", "mtext", "mspace", "mfrac", "msqrt", "msub", "msup", "msubsup", "mover", "mtable", "mtr", "mtd"]);
const ATTRIBUTES = new Set(["display", "form", "stretchy", "rspace", "width", "accent", "class", "displaystyle"]);

/** Each title with its formulas, and its LaTeX to take away. */
export function equationSections(rows: EquationRow[]): HTMLElement[] {
  return rows.map((row) => {
    const latex = button("LaTeX", () => void copy(row.latex.join("\n\n")).then((done) => done && toast("The LaTeX is on the clipboard.")), "quiet", "copy as LaTeX");
    latex.setAttribute("aria-label", `copy the LaTeX of ${row.title}`);
    const sheet = el("div", { class: "typeset", tabindex: "0", role: "group", "aria-label": row.title }, ...typesetOrText(row));
    return el("section", {}, el("div", { class: "head" }, el("h3", {}, row.title), latex), sheet);
  });
}

function typesetOrText(row: EquationRow): Element[] {
  const made = row.mathml.map(typeset);
  return made.every((math) => math !== null) ? made : [el("pre", {}, row.text.join("\n"))];
}

/** A formula as elements: only those on the list are made, by name, and only their listed attributes; null where there is another. */
export function typeset(source: string): Element | null {
  return copied(new DOMParser().parseFromString(source, "application/xml").documentElement);
}

function copied(given: Element): Element | null {
  if (given.namespaceURI !== MATHML || !ELEMENTS.has(given.localName)) return null;
  const made = document.createElementNS(MATHML, given.localName);
  for (const { name, value } of given.attributes) if (ATTRIBUTES.has(name)) made.setAttribute(name, value);
  for (const child of given.childNodes) {
    const inner = child instanceof Element ? copied(child) : document.createTextNode(child.textContent ?? "");
    if (!inner) return null;
    made.append(inner);
  }
  return made;
}
