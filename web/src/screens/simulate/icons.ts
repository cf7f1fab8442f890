import { svg } from "../../core/dom";

const SHAPES = {
  play: "M4 2.5v11l9-5.5z",
  pause: "M3.5 2.5h3.2v11H3.5zM9.3 2.5h3.2v11H9.3z",
  first: "M3 2.5h2v11H3zM13 2.5v11L6 8z",
  last: "M11 2.5h2v11h-2zM3 2.5v11l7-5.5z",
  view: "M8 1l2.2 2.6H8.8v3.6h3.6V5.8L15 8l-2.6 2.2V8.8H8.8v3.6h1.4L8 15l-2.2-2.6h1.4V8.8H3.6v1.4L1 8l2.6-2.2v1.4h3.6V3.6H5.8z",
} as const;

/** A small picture for a button; its name is the button's label. */
export function icon(name: keyof typeof SHAPES): SVGSVGElement {
  return svg("svg", { class: "icon", viewBox: "0 0 16 16", width: 16, height: 16, "aria-hidden": "true" }, svg("path", { d: SHAPES[name] }));
}
