import { el, svg } from "./dom";
import { roundStep, tell } from "./numbers";
import type { Stage } from "./stage";
import { colour } from "./theme";

const KEPT = [
  "fill",
  "fill-opacity",
  "stroke",
  "stroke-width",
  "stroke-opacity",
  "stroke-dasharray",
  "stroke-linecap",
  "stroke-linejoin",
  "opacity",
  "font-size",
  "font-family",
  "font-weight",
  "paint-order",
  "display",
];

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

/** The stage as an SVG file that needs no style sheet: the map as shapes with its bar of colours, and axes in metres. */
export function stageSvg(stage: Stage, title: string): string {
  const copyOf = stage.svg.cloneNode(true) as SVGSVGElement;
  const originals = [...stage.svg.querySelectorAll("*")],
    copies = [...copyOf.querySelectorAll("*")];
  originals.forEach((from, i) => {
    const style = getComputedStyle(from),
      to = copies[i];
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
  copyOf.prepend(svg("title", {}, title), svg("rect", { width: "100%", height: "100%", fill: colour("stage") }), ...stage.figure());
  copyOf.append(axes(stage));
  return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(copyOf)}\n`;
}

/** Ticks with their numbers [m] along the lower and the left edge. */
function axes(stage: Stage): SVGElement {
  const step = roundStep(90 / stage.pixelsPerMetre),
    [x0, x1, y0, y1] = stage.window,
    { width, height } = stage;
  const number = (v: number): string =>
    tell(Math.abs(v) < step / 1e6 ? 0 : v, 3)
      .replace(/(\.\d*?)0+$/, "$1")
      .replace(/\.$/, "");
  const text = (at: Record<string, string | number>, words: string): SVGElement =>
    svg("text", { ...at, fill: colour("ink"), stroke: colour("stage"), "stroke-width": 3, "paint-order": "stroke", "font-size": 11, "font-family": "sans-serif" }, words);
  const made: SVGElement[] = [svg("rect", { x: 0.5, y: 0.5, width: width - 1, height: height - 1, fill: "none", stroke: colour("ink") })];
  for (let x = Math.ceil(x0 / step) * step; x < x1; x += step) {
    const [px] = stage.toScreen([x, 0]);
    made.push(svg("path", { d: `M${px.toFixed(1)} ${height}v-6`, stroke: colour("ink") }), text({ x: px.toFixed(1), y: height - 10, "text-anchor": "middle" }, number(x)));
  }
  for (let y = Math.ceil(y0 / step) * step; y < y1; y += step) {
    const [, py] = stage.toScreen([0, y]);
    made.push(svg("path", { d: `M0 ${py.toFixed(1)}h6`, stroke: colour("ink") }), text({ x: 10, y: (py + 4).toFixed(1) }, number(y)));
  }
  return svg("g", {}, ...made, text({ x: width - 8, y: height - 26, "text-anchor": "end" }, "x, y [m]"));
}

/** The stage as a PNG of twice its size on the screen. */
export const stagePng = (stage: Stage, title: string): Promise<Blob> => pictured(stageSvg(stage, title));

/** An SVG file as a PNG of twice its size. */
export async function pictured(text: string): Promise<Blob> {
  const address = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    await new Promise((resolve, reject) => {
      image.onload = resolve;
      image.onerror = () => reject(new Error("the browser could not draw the picture"));
      image.src = address;
    });
    const canvas = el("canvas", { width: 2 * image.width, height: 2 * image.height });
    canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve, reject) => canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no picture was made"))), "image/png"));
  } finally {
    URL.revokeObjectURL(address);
  }
}
