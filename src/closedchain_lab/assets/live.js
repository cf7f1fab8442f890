"use strict";
const SVG = "http://www.w3.org/2000/svg";
const state = document.getElementById("state");

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

async function look() {
  try {
    const news = await (await fetch("news")).json();
    state.textContent = `${news.t.toFixed(2)} s simulated`;
    news.robots.forEach(drawRobot);
    document.getElementById("charts").innerHTML = news.charts;
    if (news.ended) location.replace("result");
    else setTimeout(look, 100);
  } catch {
    state.textContent += " (the run is over, or was cancelled)";
  }
}
look();
