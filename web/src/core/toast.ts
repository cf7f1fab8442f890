import { el } from "./dom";

const SHOWN = { info: 3500, error: 9000 }; // [ms]
let region: HTMLElement | null = null;

/** Say something in the corner, for eyes and screen readers. */
export function toast(message: string, kind: "info" | "error" = "info"): void {
  region ??= document.body.appendChild(el("div", { class: "toasts", role: "status", "aria-live": "polite" }));
  for (const old of [...region.children]) if (old.textContent?.startsWith(message)) old.remove();
  const close = el("button", { class: "quiet", type: "button", "aria-label": "Close message", onclick: () => box.remove() }, "×");
  const box = el("div", { class: `toast ${kind}` }, el("span", {}, message), close);
  region.append(box);
  setTimeout(() => box.remove(), SHOWN[kind]);
}
