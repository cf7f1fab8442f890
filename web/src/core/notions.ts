import { el } from "./dom";

/** One sentence for each notion of the field. */
const NOTIONS = {
  conditioning: "How evenly the drives hold the output: 1/κ of A is 1 at best and 0 at a Type 2 singularity.",
  "Type 2": "The output can move although every drive is locked, and efforts grow without bound: det A = 0.",
  "Type 1": "A leg is stretched or folded, so that the output loses a direction: det B = 0, the edge of the reach.",
  matrices: "A ẋ + B q̇ = 0 joins the rates of output and drives; J = −A⁻¹B takes drives to output.",
} as const;

let count = 0;

/** A "?" that says what a notion means, for eyes and for screen readers. */
export function notion(name: keyof typeof NOTIONS): HTMLElement {
  const id = `notion${++count}`;
  const words = el("span", { class: "notion-words", id, role: "note", hidden: true }, NOTIONS[name]);
  const ask = el("button", { type: "button", class: "notion", "aria-label": `what is ${name}?`, "aria-expanded": "false", "aria-controls": id, onclick: () => toggle() }, "?");
  const toggle = (): void => {
    words.hidden = !words.hidden;
    ask.setAttribute("aria-expanded", String(!words.hidden));
  };
  return el("span", { class: "notion-of" }, ask, words);
}
