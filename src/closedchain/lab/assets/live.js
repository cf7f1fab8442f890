"use strict";
const SVG = "http://www.w3.org/2000/svg";
const state = document.getElementById("state");
const curves = new Map(); // of each chart: its curves' points so far

function shape(kind, attributes, parent) {
  const made = document.createElementNS(SVG, kind);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  parent.append(made);
  return made;
}

function card(host, index, title) {
  let figure = host.children[index];
  if (!figure) {
    figure = document.createElement("figure");
    figure.append(document.createElement("figcaption"), document.createElementNS(SVG, "svg"));
    figure.lastChild.setAttribute("role", "img");
    host.append(figure);
  }
  figure.firstChild.textContent = title;
  figure.lastChild.setAttribute("aria-label", title);
  figure.lastChild.replaceChildren();
  return figure.lastChild;
}

function drawRobot(robot, index) {
  const svg = card(document.getElementById("robots"), index, robot.name);
  const [left, bottom] = robot.low, [right, top] = robot.high;
  const size = Math.hypot(right - left, top - bottom) || 1, room = 0.08 * size, thick = 0.012 * size;
  svg.setAttribute("viewBox", `${left - room} ${-top - room} ${right - left + 2 * room} ${top - bottom + 2 * room}`);
  const at = (k) => `${robot.points[k][0]},${-robot.points[k][1]}`;
  for (const part of robot.parts) {
    if (part.kind === "ground") continue;
    const ends = part.kind === "rail" ? part.points.slice(0, 2) : part.points;
    const closed = part.kind === "plate" || part.kind === "base";
    const width = part.kind === "rail" ? thick / 3 : thick;
    shape(closed ? "polygon" : "polyline", { class: part.kind, points: ends.map(at).join(" "), "stroke-width": width }, svg);
  }
  shape("polyline", { class: "way", points: robot.path.map(([x, y]) => `${x},${-y}`).join(" "), "stroke-width": thick / 2 }, svg);
  for (const k of robot.joints) {
    const [x, y] = robot.points[k];
    shape("circle", { class: "joint", cx: x, cy: -y, r: thick, "stroke-width": thick / 3 }, svg);
  }
}

function drawChart(chart, index) {
  const svg = card(document.getElementById("charts"), index, chart.title);
  const kept = curves.get(index) || [];
  curves.set(index, kept);
  chart.curves.forEach((curve, k) => {
    kept[k] = curve.again ? curve.points : (kept[k] || []).concat(curve.points);
    if (kept[k].length > 3000) kept[k] = kept[k].filter((_, i) => i % 2 === 0);
  });
  const all = kept.flat();
  if (!all.length) return;
  const bound = (pick, start) => all.reduce((m, p) => pick(m, p), start);
  const x0 = bound((m, p) => Math.min(m, p[0]), Infinity), x1 = bound((m, p) => Math.max(m, p[0]), -Infinity);
  let y0 = bound((m, p) => Math.min(m, p[1]), chart.limits ? chart.limits[0] : Infinity);
  let y1 = bound((m, p) => Math.max(m, p[1]), chart.limits ? chart.limits[1] : -Infinity);
  if (y1 - y0 < 1e-12) { y0 -= 0.5; y1 += 0.5; }
  const across = (x) => 44 + (x - x0) / (x1 - x0 || 1) * 346, down = (y) => 176 - (y - y0) / (y1 - y0) * 166;
  svg.setAttribute("viewBox", "0 0 400 200");
  shape("rect", { class: "frame", x: 44, y: 10, width: 346, height: 166 }, svg);
  for (const [x, y, text, anchor] of [[40, 18, y1, "end"], [40, 176, y0, "end"], [44, 192, x0, "start"], [390, 192, x1, "end"]])
    shape("text", { x, y, "text-anchor": anchor }, svg).textContent = Number(text.toPrecision(4));
  kept.forEach((points, k) =>
    shape("polyline", { class: `curve${k % 2}`, points: points.map(([x, y]) => `${across(x).toFixed(1)},${down(y).toFixed(1)}`).join(" ") }, svg));
}

const source = new EventSource("messages");
source.onmessage = (event) => {
  const news = JSON.parse(event.data);
  state.textContent = `${news.t.toFixed(2)} s simulated`;
  news.robots.forEach(drawRobot);
  news.charts.forEach(drawChart);
};
source.addEventListener("end", () => {
  source.close();
  state.textContent = "The script has ended; here is its page.";
  location.replace("result");
});
source.onerror = () => { source.close(); state.textContent += " (the run is over, or was cancelled)"; };
