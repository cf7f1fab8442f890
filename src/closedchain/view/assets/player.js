"use strict";
// Plays every section.player of the page: unpacks its numbers, draws one frame at a time, listens to its controls.
(() => {
  const reduced = matchMedia("(prefers-reduced-motion: reduce)");

  // Numbers: base64 bytes, seven bits each, zigzag signs, summed twice, column after column.
  function unpack(code, columns, frames) {
    const bytes = atob(code), table = Array.from({ length: columns }, () => new Int32Array(frames));
    let at = 0;
    for (const column of table) {
      let value = 0, change = 0;
      for (let i = 0; i < frames; i++) {
        let unsigned = 0, shift = 0, byte;
        do {
          byte = bytes.charCodeAt(at++);
          unsigned |= (byte & 127) << shift;
          shift += 7;
        } while (byte > 127);
        change += unsigned & 1 ? -((unsigned + 1) / 2) : unsigned / 2;
        value += change;
        column[i] = value;
      }
    }
    return table;
  }

  function unpackColumns(packed, frames) {
    const table = unpack(packed.code, packed.low.length, frames);
    return table.map((column, k) => Float64Array.from(column, (n) => packed.low[k] + packed.step[k] * n));
  }

  // Every point at a frame, flat: (x, y) or (x, y, z) after each other.
  function motion(data) {
    const count = Math.max(-1, ...data.runs) + 1, whole = unpack(data.points.code, count, data.frames);
    const away = data.behind === null ? null : unpack(data.behind, count, data.frames);
    const place = (k, n) => data.points.low[k] + data.points.step[k] * n;
    const at = (frame, ghost) => {
      const flat = Float64Array.from(data.rest);
      data.columns.forEach((c, k) => { const n = data.runs[k]; flat[c] = place(k, whole[n][frame] + (ghost ? away[n][frame] : 0)); });
      return flat;
    };
    const path = (ghost) => Array.from({ length: data.frames }, (_, frame) => {
      const flat = at(frame, ghost), first = data.tip * data.dimension;
      return Array.from(flat.subarray(first, first + data.dimension));
    });
    return { at, path: path(false), wanted: away ? path(true) : null };
  }

  // The plane -------------------------------------------------------------------------------------
  function plane(svg, data, moves) {
    const width = 900, pad = 60;
    const spanX = data.high[0] - data.low[0], spanY = data.high[1] - data.low[1];
    const k = Math.min((width - 2 * pad) / Math.max(spanX, 1e-9), 700 / Math.max(spanY, 1e-9));
    const height = Math.max(spanY * k + 2 * pad + 30, 260);
    const left = (width - spanX * k) / 2, top = (height - 30 - spanY * k) / 2;
    const X = (x) => left + (x - data.low[0]) * k, Y = (y) => top + (data.high[1] - y) * k;
    const unit = Math.min(width, height) / 100;
    svg.setAttribute("viewBox", `0 0 ${width} ${height.toFixed(1)}`);

    const add = (parent, tag, kind, attributes = {}) => {
      const element = document.createElementNS(svg.namespaceURI, tag);
      if (kind) element.setAttribute("class", kind);
      for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
      parent.append(element);
      return element;
    };
    const text = (points) => points.map(([x, y]) => `${x.toFixed(2)},${y.toFixed(2)}`).join(" ");
    const pick = (flat, i) => [X(flat[2 * i]), Y(flat[2 * i + 1])];
    const mix = (a, b, s) => [a[0] + s * (b[0] - a[0]), a[1] + s * (b[1] - a[1])];
    const frame = (a, b) => { // along and across a line on the screen
      const d = Math.hypot(b[0] - a[0], b[1] - a[1]) || 1, u = [(b[0] - a[0]) / d, (b[1] - a[1]) / d];
      return [u, [-u[1], u[0]], d];
    };
    const off = (p, u, s, v, r) => [p[0] + s * u[0] + r * v[0], p[1] + s * u[1] + r * v[1]];

    const hatch = (parent, a, b, depth, side) => {
      const [u, v, length] = frame(a, b);
      let d = `M${a[0]} ${a[1]}L${b[0]} ${b[1]}`;
      for (let s = depth / 2; s < length; s += depth) {
        const from = off(a, u, s, v, 0), to = off(a, u, s - 0.6 * depth, v, side * depth);
        d += `M${from[0].toFixed(1)} ${from[1].toFixed(1)}L${to[0].toFixed(1)} ${to[1].toFixed(1)}`;
      }
      add(parent, "path", "hatch", { d, "stroke-width": 1.5 });
    };

    const painters = {
      bar: (parent, part) => link(parent, "bar", 7, part),
      crank: (parent, part) => link(parent, "crank", 9, part),
      telescope(parent, part) {
        const rod = link(parent, "telescope", 5, part), tube = add(parent, "polyline", "link telescope", { "stroke-width": 14 });
        return (flat) => {
          rod(flat);
          const [a, b] = part.points.map((i) => pick(flat, i)), [, , d] = frame(a, b);
          tube.setAttribute("points", text([a, mix(a, b, Math.min(1, (part.tube * k) / d))]));
        };
      },
      spring(parent, part) {
        const element = add(parent, "polyline", "spring", { "stroke-width": 2 });
        return (flat) => {
          const [a, b] = part.points.map((i) => pick(flat, i)), [u, v, d] = frame(a, b), line = [a];
          for (let n = 0; n <= 14; n++) line.push(off(a, u, d * (0.2 + 0.6 * n / 14), v, n % 14 ? (n % 2 ? 1 : -1) * 1.2 * unit : 0));
          element.setAttribute("points", text([...line, b]));
        };
      },
      damper(parent, part) {
        const element = add(parent, "polyline", "spring", { "stroke-width": 2 });
        const shape = [[0, 0], [0.4, 0], [0.4, 1], [0.6, 1], [0.6, -1], [0.4, -1], [0.4, 0], [1, 0]];
        return (flat) => {
          const [a, b] = part.points.map((i) => pick(flat, i)), [u, v, d] = frame(a, b);
          element.setAttribute("points", text(shape.map(([s, side]) => off(a, u, s * d, v, side * 1.2 * unit))));
        };
      },
      plate(parent, part) {
        const element = add(parent, "polygon", "fill");
        return (flat) => element.setAttribute("points", text(part.points.map((i) => pick(flat, i))));
      },
      rail(parent, part, ghost) {
        const track = part.fixed ? null : add(parent, "polyline", "track", { "stroke-width": 2.5 });
        if (part.fixed && !ghost) {
          const flat = moves.at(0, false);
          hatch(parent, pick(flat, part.points[0]), pick(flat, part.points[1]), 1.8 * unit, 1);
        }
        const box = add(parent, "polygon", "carriage"), l = 3.6 * unit, w = 2.1 * unit;
        return (flat) => {
          const [a, b, p] = part.points.map((i) => pick(flat, i)), [u, v] = frame(a, b);
          if (track) track.setAttribute("points", text([a, b]));
          box.setAttribute("points", text([off(p, u, -l, v, -w), off(p, u, l, v, -w), off(p, u, l, v, w), off(p, u, -l, v, w)]));
        };
      },
      ground(parent, part, ghost) {
        if (ghost) return () => {};
        const p = pick(moves.at(0, false), part.points[0]), h = 4 * unit;
        add(parent, "polygon", "stand", { points: text([p, [p[0] - 0.6 * h, p[1] + h], [p[0] + 0.6 * h, p[1] + h]]) });
        hatch(parent, [p[0] - h, p[1] + h], [p[0] + h, p[1] + h], 0.35 * h, 1);
        return () => {};
      },
      base: () => () => {},
    };
    function link(parent, kind, size, part) {
      const element = add(parent, "polyline", `link ${kind}`, { "stroke-width": size });
      return (flat) => element.setAttribute("points", text(part.points.map((i) => pick(flat, i))));
    }
    const robot = (parent, ghost) => {
      const updates = data.parts.map((part) => painters[part.kind](parent, part, ghost));
      for (const i of data.joints) {
        const circle = add(parent, "circle", "joint", { r: 6 });
        updates.push((flat) => { const [x, y] = pick(flat, i); circle.setAttribute("cx", x); circle.setAttribute("cy", y); });
      }
      return (flat) => updates.forEach((update) => update(flat));
    };

    const screen = (path) => path.map(([x, y]) => `${X(x).toFixed(1)},${Y(y).toFixed(1)}`);
    const wanted = moves.wanted && add(svg, "polyline", "wanted", { points: screen(moves.wanted).join(" ") });
    const line = screen(moves.path), trace = add(svg, "polyline", "drawn");
    const ghostGroup = data.ghost ? add(svg, "g", "behind") : null, ghost = ghostGroup && robot(ghostGroup, true);
    const body = robot(add(svg, "g"), false), tip = add(svg, "circle", "tip", { r: 4.5 });
    const bar = data.scale[0] * k, y = height - 34;
    add(svg, "path", "hatch", { d: `M24 ${y}h${bar.toFixed(1)}M24 ${y - 6}v12M${(24 + bar).toFixed(1)} ${y - 6}v12`, "stroke-width": 2 });
    add(svg, "text", "", { x: 24, y: y + 24 }).textContent = data.scale[1];

    return (frame, shown) => {
      const flat = moves.at(frame, false), [x, py] = pick(flat, data.tip);
      body(flat);
      tip.setAttribute("cx", x); tip.setAttribute("cy", py);
      trace.setAttribute("points", shown.trace ? line.slice(0, frame + 1).join(" ") : "");
      if (wanted) wanted.setAttribute("visibility", shown.reference ? "visible" : "hidden");
      if (ghost) {
        ghostGroup.setAttribute("visibility", shown.reference ? "visible" : "hidden");
        if (shown.reference) ghost(moves.at(frame, true));
      }
    };
  }

  // Space -----------------------------------------------------------------------------------------
  function space(canvas, data, moves, again) {
    const pen = canvas.getContext("2d"), start = { turn: -0.65, tilt: 0.35 }, eye = { ...start };
    const centre = data.low.map((v, i) => (v + data.high[i]) / 2), radius = data.size / 2 || 1;
    const widths = { bar: 4, crank: 7, telescope: 5, spring: 2, damper: 2, rail: 2 };
    let colours = {}, last = null;

    const recolour = () => {
      const style = getComputedStyle(document.documentElement);
      for (const name of ["page", "ink", "soft", "line", "bar", "drive", "plate", "path", "wanted", "behind"])
        colours[name] = style.getPropertyValue(`--${name}`).trim();
    };
    const view = () => { // a projection for the canvas as it is now: (x, y, z) → screen x, y, depth
      const ratio = devicePixelRatio || 1, w = canvas.clientWidth, h = canvas.clientHeight;
      if (canvas.width !== Math.round(w * ratio) || canvas.height !== Math.round(h * ratio)) {
        canvas.width = Math.round(w * ratio);
        canvas.height = Math.round(h * ratio);
      }
      pen.setTransform(ratio, 0, 0, ratio, 0, 0);
      const ct = Math.cos(eye.turn), st = Math.sin(eye.turn), cp = Math.cos(eye.tilt), sp = Math.sin(eye.tilt);
      const far = 5 * radius, zoom = (0.52 * Math.min(w, h) * far) / radius;
      return (p) => {
        const x = p[0] - centre[0], y = p[1] - centre[1], z = p[2] - centre[2];
        const across = ct * x - st * y, into = st * x + ct * y, depth = into * cp - z * sp, up = z * cp + into * sp;
        const s = zoom / (far + depth);
        return [w / 2 + s * across, h / 2 - s * up, depth];
      };
    };
    const stroke = (points, colour, width, dash = []) => {
      pen.setLineDash(dash);
      pen.lineWidth = width; pen.strokeStyle = colour; pen.lineCap = pen.lineJoin = "round";
      pen.beginPath();
      points.forEach(([x, y], i) => (i ? pen.lineTo(x, y) : pen.moveTo(x, y)));
      pen.stroke();
      pen.setLineDash([]);
    };
    const fill = (points, colour, alpha, edge) => {
      pen.beginPath();
      points.forEach(([x, y], i) => (i ? pen.lineTo(x, y) : pen.moveTo(x, y)));
      pen.closePath();
      pen.globalAlpha *= alpha; pen.fillStyle = colour; pen.fill(); pen.globalAlpha /= alpha;
      pen.lineWidth = 1.5; pen.strokeStyle = edge; pen.stroke();
    };
    const floor = (project) => { // a grid under everything
      const step = data.grid[0], z = data.low[2];
      const from = [0, 1].map((i) => Math.floor(data.low[i] / step) * step), to = [0, 1].map((i) => Math.ceil(data.high[i] / step) * step);
      for (let x = from[0]; x <= to[0] + step / 2; x += step) stroke([project([x, from[1], z]), project([x, to[1], z])], colours.line, 1);
      for (let y = from[1]; y <= to[1] + step / 2; y += step) stroke([project([from[0], y, z]), project([to[0], y, z])], colours.line, 1);
    };
    const triad = (project) => {
      const o = project(centre), c = [46, canvas.clientHeight - 46];
      pen.font = "13px system-ui, sans-serif"; pen.textAlign = "center"; pen.textBaseline = "middle";
      ["x", "y", "z"].forEach((name, i) => {
        const p = project(centre.map((v, j) => v + (i === j ? radius / 4 : 0)));
        const d = [p[0] - o[0], p[1] - o[1]], s = 130 / Math.min(canvas.clientWidth, canvas.clientHeight) / 0.52;
        stroke([c, [c[0] + d[0] * s, c[1] + d[1] * s]], colours.soft, 1.5);
        pen.fillStyle = colours.soft;
        pen.fillText(name, c[0] + d[0] * s * 1.35, c[1] + d[1] * s * 1.35);
      });
      pen.textAlign = "left";
      pen.fillText(`grid ${data.grid[1]}`, 96, canvas.clientHeight - 18);
    };
    const robot = (flat, project, ghost) => {
      const at = (i) => project([flat[3 * i], flat[3 * i + 1], flat[3 * i + 2]]);
      const items = data.parts.filter((p) => !ghost || (p.kind !== "ground" && p.kind !== "base")).map((part) => {
        const corners = part.points.map(at), depth = corners.reduce((sum, c) => sum + c[2], 0) / corners.length;
        return { part, corners, depth };
      });
      for (const i of data.joints) { const c = at(i); items.push({ corners: [c], depth: c[2] - 0.02 * radius }); }
      items.sort((a, b) => b.depth - a.depth);
      pen.globalAlpha = ghost ? 0.4 : 1;
      for (const { part, corners } of items) {
        const [x, y] = corners[0];
        if (!part) {
          pen.beginPath(); pen.arc(x, y, ghost ? 3 : 4.5, 0, 7); pen.fillStyle = colours.page; pen.fill();
          pen.lineWidth = 2; pen.strokeStyle = ghost ? colours.behind : colours.bar; pen.stroke();
        } else if (part.kind === "plate" || part.kind === "base") {
          const solid = part.kind === "plate" && !ghost;
          fill(corners, solid ? colours.plate : colours.behind, solid ? 0.6 : 0.3, solid ? colours.bar : colours.behind);
        } else if (part.kind === "ground") {
          pen.fillStyle = colours.ink; pen.fillRect(x - 7, y - 7, 14, 14);
        } else {
          const driven = part.kind === "crank" || part.kind === "telescope";
          const colour = ghost ? colours.behind : part.kind === "rail" ? colours.ink : driven ? colours.drive : colours.bar;
          stroke(corners.slice(0, 2), colour, widths[part.kind]);
          if (part.kind === "rail") {
            pen.fillStyle = ghost ? colours.behind : colours.drive;
            pen.fillRect(corners[2][0] - 9, corners[2][1] - 9, 18, 18);
          }
          if (part.kind === "telescope") {
            const [a, b] = part.points.map((i) => [flat[3 * i], flat[3 * i + 1], flat[3 * i + 2]]);
            const s = Math.min(1, part.tube / (Math.hypot(b[0] - a[0], b[1] - a[1], b[2] - a[2]) || 1));
            stroke([corners[0], project(a.map((v, j) => v + s * (b[j] - v)))], colour, 11);
          }
        }
      }
      pen.globalAlpha = 1;
    };

    const paint = (frame, shown) => {
      last = [frame, shown];
      const project = view();
      pen.clearRect(0, 0, canvas.clientWidth, canvas.clientHeight);
      floor(project);
      if (moves.wanted && shown.reference) stroke(moves.wanted.map(project), colours.wanted, 1.5, [7, 5]);
      if (shown.trace) stroke(moves.path.slice(0, frame + 1).map(project), colours.path, 2.5);
      if (data.ghost && shown.reference) robot(moves.at(frame, true), project, true);
      robot(moves.at(frame, false), project, false);
      triad(project);
    };
    const look = (turn, tilt) => {
      eye.turn = turn;
      eye.tilt = Math.max(-1.5, Math.min(1.5, tilt));
      if (last) paint(...last);
    };
    canvas.addEventListener("pointerdown", (event) => canvas.setPointerCapture(event.pointerId));
    canvas.addEventListener("pointermove", (event) => {
      if (canvas.hasPointerCapture(event.pointerId)) look(eye.turn - event.movementX * 0.008, eye.tilt + event.movementY * 0.008);
    });
    canvas.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: [0.1, 0], ArrowRight: [-0.1, 0], ArrowUp: [0, -0.1], ArrowDown: [0, 0.1] }[event.key];
      if (!step) return;
      event.preventDefault();
      look(eye.turn + step[0], eye.tilt + step[1]);
    });
    again(() => look(start.turn, start.tilt));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { recolour(); look(eye.turn, eye.tilt); });
    addEventListener("resize", () => look(eye.turn, eye.tilt));
    recolour();
    return paint;
  }

  // The player ------------------------------------------------------------------------------------
  function start(root) {
    const data = JSON.parse(root.querySelector("script").textContent), moves = motion(data);
    const find = (selector) => root.querySelector(selector);
    const time = unpackColumns(data.time, data.frames)[0], [sample] = unpack(data.index, 1, data.frames);
    const slider = find(".time input"), button = find(".play"), clock = find(".clock"), speed = find(".speed");
    const ticked = (kind) => { const box = find(`.${kind}`); return box ? box.checked : false; };
    const first = time[0], end = time[data.frames - 1];
    let now = first, frame = 0, playing = false, before = 0;

    const canvas = find("canvas");
    const paint = canvas
      ? space(canvas, data, moves, (reset) => find(".view").addEventListener("click", reset))
      : plane(find("svg"), data, moves);
    const rows = data.values.map((value) => {
      const row = find(".values tbody").insertRow(), head = document.createElement("th"), numbers = unpackColumns(value, data.frames)[0];
      head.scope = "row";
      head.textContent = value.label;
      row.append(head);
      const cell = row.insertCell(), unit = row.insertCell();
      unit.className = "unit";
      unit.textContent = value.unit;
      return (i) => {
        const digits = numbers[i].toFixed(value.decimals);
        cell.textContent = digits.replace("-", Number(digits) ? "−" : ""); // no minus before a zero
      };
    });
    if (!rows.length) find(".values").remove();

    const show = () => {
      paint(frame, { trace: ticked("trace"), reference: ticked("reference") });
      slider.value = frame;
      const reading = `${time[frame].toFixed(3)} s of ${end.toFixed(3)} s`;
      slider.setAttribute("aria-valuetext", reading);
      clock.textContent = `t = ${time[frame].toFixed(3)} s, sample ${sample[frame]}`;
      rows.forEach((row) => row(frame));
    };
    const seek = (seconds) => { // the last frame not after that time
      let low = 0, high = data.frames - 1;
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (time[middle] <= seconds + 1e-9) low = middle; else high = middle - 1;
      }
      now = seconds;
      frame = low;
    };
    const tick = (stamp) => {
      if (!playing) return;
      let next = now + Math.min((stamp - before) / 1000, 0.25) * Number(speed.value);
      before = stamp;
      if (next > end) {
        if (ticked("loop") && end > first) next = first;
        else { next = end; play(false); }
      }
      seek(next);
      show();
      if (playing) requestAnimationFrame(tick);
    };
    const play = (on) => {
      playing = on;
      button.textContent = on ? "Pause" : "Play";
      if (!on) return;
      if (frame === data.frames - 1) seek(first);
      requestAnimationFrame((stamp) => { before = stamp; tick(stamp); });
    };
    const jump = (to) => { play(false); frame = Math.max(0, Math.min(data.frames - 1, to)); now = time[frame]; show(); };

    button.addEventListener("click", () => play(!playing));
    slider.addEventListener("input", () => jump(Number(slider.value)));
    for (const kind of ["trace", "reference"]) find(`.${kind}`)?.addEventListener("change", show);
    const keys = (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const on = event.target, field = on instanceof HTMLSelectElement || on instanceof HTMLButtonElement || on.type === "checkbox";
      if (event.key === " " && !field) { event.preventDefault(); play(!playing); }
      else if (event.key === "l" && !(on instanceof HTMLSelectElement)) find(".loop").click();
      else if (on === document.body || on === root) {
        const to = { ArrowLeft: frame - 1, ArrowRight: frame + 1, Home: 0, End: data.frames - 1 }[event.key];
        if (to !== undefined) { event.preventDefault(); jump(to); }
      }
    };
    const alone = document.querySelectorAll(".player").length === 1;
    (alone ? document : root).addEventListener("keydown", keys);

    const asked = /^#t=([\d.]+)$/.exec(location.hash);
    if (asked) seek(Math.min(end, Number(asked[1])));
    show();
    if (data.autoplay && !asked && !reduced.matches) play(true);
  }

  document.querySelectorAll("section.player").forEach(start);
})();
