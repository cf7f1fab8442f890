import { el } from "./dom";
import type { Stage } from "./stage";
import { colour } from "./theme";

const KEPT = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "stroke-linecap", "stroke-linejoin", "opacity", "font-size", "font-family", "font-weight", "paint-order", "display"];

/** Offer a file to the person. */
export function save(name: string, content: Blob | string, kind = "text/plain"): void {
  const blob = typeof content === "string" ? new Blob([content], { type: kind }) : content;
  const address = URL.createObjectURL(blob);
  el("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** Put text on the clipboard; whether that was allowed. */
export async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = el("textarea", { class: "unseen" });
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}

/** The stage as an SVG file that needs no style sheet, with the map as an image inside. */
export function stageSvg(stage: Stage, title: string): string {
  const copyOf = stage.svg.cloneNode(true) as SVGSVGElement;
  const originals = [...stage.svg.querySelectorAll("*")], copies = [...copyOf.querySelectorAll("*")];
  originals.forEach((from, i) => {
    const style = getComputedStyle(from), to = copies[i];
    if (!to) return;
    for (const name of KEPT) {
      const value = style.getPropertyValue(name);
      if (value) to.setAttribute(name, value);
    }
    for (const name of ["class", "tabindex", "role", ...to.getAttributeNames().filter((n) => n.startsWith("aria-"))]) to.removeAttribute(name);
  });
  for (const group of copyOf.querySelectorAll("[fill='transparent'], [stroke='transparent']")) if (group.getAttribute("fill") === "transparent") group.remove();
  copyOf.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copyOf.setAttribute("width", String(stage.width));
  copyOf.setAttribute("height", String(stage.height));
  const parts = [svgElement("title", {}, title), svgElement("rect", { width: "100%", height: "100%", fill: colour("stage") })];
  if (stage.element.classList.contains("mapped")) {
    parts.push(svgElement("image", { width: String(stage.width), height: String(stage.height), href: stage.canvas.toDataURL("image/png") }));
  }
  copyOf.prepend(...parts);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(copyOf)}\n`;
}

function svgElement(tag: string, attributes: Record<string, string>, text = ""): Element {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.textContent = text;
  return made;
}

/** The stage as a PNG of twice its size on the screen. */
export async function stagePng(stage: Stage, title: string): Promise<Blob> {
  const address = URL.createObjectURL(new Blob([stageSvg(stage, title)], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    await new Promise((resolve, reject) => {
      image.onload = resolve;
      image.onerror = () => reject(new Error("the browser could not draw the picture"));
      image.src = address;
    });
    const canvas = el("canvas", { width: 2 * stage.width, height: 2 * stage.height });
    canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve, reject) => canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no picture was made"))), "image/png"));
  } finally {
    URL.revokeObjectURL(address);
  }
}
