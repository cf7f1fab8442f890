// What every robot's module has in common. `robot` and `raw` are written before this text.

/** A kernel with named, checked arguments: call(...inputs) → {output: Float64Array, or number for a scalar}. */
function kernel(name) {
  const { about, inputs, outputs } = robot.kernels[name];
  const size = outputs.reduce((sum, o) => sum + count(o.shape), 0);
  const run = raw[name];
  const call = (...given) => {
    if (given.length !== inputs.length) {
      throw new RangeError(`${name} takes (${inputs.map((o) => o.name).join(", ")}), not ${given.length} arguments`);
    }
    inputs.forEach((o, i) => {
      const length = o.shape.length ? given[i].length : typeof given[i] === "number" ? 1 : -1;
      if (length !== count(o.shape)) {
        throw new RangeError(`${name}: ${o.name} must be ${o.shape.length ? `${count(o.shape)} numbers` : "a number"}`);
      }
    });
    const out = new Float64Array(size);
    run(...given, out);
    return split(outputs, out);
  };
  return { about, inputs, outputs, size, raw: run, call };
}

const count = (shape) => shape.reduce((a, b) => a * b, 1);

function split(outputs, out) {
  const made = {};
  let start = 0;
  for (const { name, shape } of outputs) {
    made[name] = shape.length ? out.subarray(start, start + count(shape)) : out[start];
    start += count(shape);
  }
  return made;
}

/** Every kernel by name: {about, inputs, outputs, size, raw, call}. raw(...inputs, out) writes all outputs in a row. */
export const kernels = Object.fromEntries(Object.keys(robot.kernels).map((name) => [name, kernel(name)]));

/** Call a kernel with arrays by name; what the kernel does not take is left aside. */
export function evaluate(name, arrays) {
  if (!(name in kernels)) {
    throw new RangeError(`${robot.name} has no kernel ${name}; there are ${Object.keys(kernels).join(", ")}`);
  }
  return kernels[name].call(...kernels[name].inputs.map((o) => arrays[o.name]));
}

/** The parameters' values, changed by name: parameters({l: 0.3}). */
export function parameters(changed = {}) {
  const p = Float64Array.from(robot.parameters, (o) => o.value);
  for (const [name, value] of Object.entries(changed)) {
    const i = robot.parameters.findIndex((o) => o.name === name);
    if (i < 0) throw new RangeError(`${robot.name} has no parameter ${name}`);
    p[i] = value;
  }
  return p;
}

/** A length of the robot's own size [m], for tolerances. */
const scaleOf = (p) => ("scale" in kernels ? evaluate("scale", { p }).scale || 1 : 1);

const EDGE = 1e-13; // of the robot's size: a leg within this of its end is at its end
const GAP = 1e-9; // of the robot's size: a closure open by more is not closed

/** cond₂ of a matrix of `rows` rows, row-major; infinite where it is singular. By Jacobi's rotations of columns. */
export function condition(A, rows) {
  const s = singularValues(A, rows);
  const largest = Math.max(...s);
  const least = Math.min(...s);
  return least > 0 ? largest / least : Infinity;
}

/** Singular values of a matrix of `rows` rows. */
export function singularValues(A, rows) {
  const columns = A.length / rows;
  const a = Array.from({ length: columns }, (_, j) => Array.from({ length: rows }, (_, i) => A[i * columns + j]));
  const dot = (u, v) => u.reduce((sum, value, i) => sum + value * v[i], 0);
  for (let sweep = 0, turned = true; turned && sweep < 60; sweep += 1) {
    turned = false;
    for (let i = 0; i < columns; i += 1) {
      for (let j = i + 1; j < columns; j += 1) {
        const [aa, bb, ab] = [dot(a[i], a[i]), dot(a[j], a[j]), dot(a[i], a[j])];
        if (Math.abs(ab) <= 1e-16 * Math.sqrt(aa * bb)) continue;
        turned = true;
        const zeta = (bb - aa) / (2 * ab);
        const t = (zeta < 0 ? -1 : 1) / (Math.abs(zeta) + Math.sqrt(1 + zeta * zeta));
        const c = 1 / Math.sqrt(1 + t * t);
        const [u, v] = [a[i], a[j]];
        a[i] = u.map((value, k) => c * (value - t * v[k]));
        a[j] = v.map((value, k) => c * (value + t * u[k]));
      }
    }
  }
  return a.map((u) => Math.sqrt(dot(u, u)));
}

/** What is known of a configuration: residual [m], A, B, det of A by rows, its condition. */
export function configuration(q, x, p) {
  const { gap, A, B } = evaluate("closures", { q, x, p });
  const n = robot.x.length;
  return { residual: gap.reduce((m, g) => Math.max(m, Math.abs(g)), 0), gap, A, B, det: determinant(A, n),
    condition: condition(A, n) };
}

/** det of an n × n matrix, row-major, by elimination with pivots. */
export function determinant(A, n) {
  const a = Array.from({ length: n }, (_, i) => Array.from(A.slice(i * n, i * n + n)));
  let det = 1;
  for (let k = 0; k < n; k += 1) {
    let pivot = k;
    for (let i = k + 1; i < n; i += 1) if (Math.abs(a[i][k]) > Math.abs(a[pivot][k])) pivot = i;
    if (a[pivot][k] === 0) return 0;
    if (pivot !== k) {
      [a[k], a[pivot]] = [a[pivot], a[k]];
      det = -det;
    }
    det *= a[k][k];
    for (let i = k + 1; i < n; i += 1) {
      const factor = a[i][k] / a[k][k];
      for (let j = k; j < n; j += 1) a[i][j] -= factor * a[k][j];
    }
  }
  return det;
}

/**
 * Every working mode that puts the output at x: {solutions: [{mode, sigma, q, slack, double, residual, det,
 * condition}], misses: [{leg, by}]}. A leg that misses is named, with the length [m] it lacks; without solutions there
 * is at least one, or the closure that stays open.
 */
export function inverse(x, p = parameters()) {
  const edge = EDGE * scaleOf(p);
  const open = GAP * scaleOf(p);
  const legs = robot.legs;
  const chosen = legs.map((leg) => leg.sign !== 0);
  const found = { solutions: [], misses: [] };
  for (const signs of combinations(chosen.filter(Boolean).length)) {
    let next = 0;
    const sigma = chosen.map((has) => (has ? signs[next++] : 1));
    const { q, slack } = evaluate("inverse", { x, sigma, p });
    const atEdge = chosen.map((has, i) => has && Math.abs(slack[i]) <= edge);
    if (sigma.some((s, i) => atEdge[i] && s < 0)) continue; // the other sign gives the same q
    if (robot.legsMeasure && slack.some((s) => !(s >= -edge))) {
      legs.forEach((leg, i) => slack[i] < -edge && miss(found, leg.name, -slack[i]));
      continue;
    }
    const at = configuration(q, x, p);
    if (!(at.residual <= open)) {
      at.gap.forEach((g, i) => Math.abs(g) > open && miss(found, robot.closures[i], Math.abs(g)));
      continue;
    }
    const names = sigma.map((s, i) => (atEdge[i] ? "0" : s > 0 ? "+" : "-")).filter((_, i) => chosen[i]);
    found.solutions.push({ mode: names.join("") || "+", sigma, q, slack, double: atEdge.some(Boolean), ...at });
  }
  return found;
}

function miss(found, leg, by) {
  if (!found.misses.some((m) => m.leg === leg)) found.misses.push({ leg, by });
}

/** Rows of n signs, all plus first. */
function combinations(n) {
  const row = (k) => Array.from({ length: n }, (_, i) => ((k >> (n - 1 - i)) & 1 ? -1 : 1));
  return Array.from({ length: 2 ** n }, (_, k) => row(k));
}

/**
 * Every pose that the drives at q allow: {solutions: [{mode, x, double, residual, det, condition}],
 * misses: [{leg, by}]}.
 * A plate on three legs is solved by iteration: its number of poses is not proven here, and where it has none, `by` is
 * null.
 */
export function direct(q, p = parameters()) {
  const edge = EDGE * scaleOf(p);
  const found = { solutions: [], misses: [] };
  let rows = [{ x: new Float64Array(robot.x.length), double: false }];
  for (const group of robot.groups) {
    rows = rows.flatMap((row) => branches(group, row, q, p, edge, found));
  }
  for (const { x, double } of rows) {
    const at = configuration(q, x, p);
    if (at.residual <= GAP * scaleOf(p)) found.solutions.push({ mode: "", x, double, ...at });
  }
  return nameModes(found);
}

function branches(group, row, q, p, edge, found) {
  const place = (at, double) => {
    const x = Float64Array.from(row.x);
    group.columns.forEach((column, i) => (x[column] = at[i]));
    return { x, double: row.double || double };
  };
  if (group.triad) {
    const { centre, radius, local } = evaluate(group.kernel, { q, x: row.x, p });
    const poses = threeCircles(centre, radius, local);
    if (!poses.length) miss(found, group.links.join(" with "), null);
    return poses.map((pose) => place(pose.x, pose.double));
  }
  const made = [];
  for (const s of group.branches === 2 ? [1, -1] : [1]) {
    const { x, slack } = evaluate(group.kernel, { q, x: row.x, s, p });
    const double = group.branches === 2 && Math.abs(slack) <= edge;
    if (!(slack >= -edge)) miss(found, group.links.join(" with "), -slack);
    else if (!(double && s < 0)) made.push(place(x, double));
  }
  return made;
}

/** Modes by the sign of det A; where several poses share it, with an ordinal in the order of the plate's angle. */
function nameModes(found) {
  const sign = (s) => (s.double || s.det === 0 ? 0 : Math.sign(s.det));
  found.solutions.sort(robot.plate ? (a, b) => a.x[2] - b.x[2] : (a, b) => sign(b) - sign(a));
  for (const kind of [-1, 0, 1]) {
    const same = found.solutions.filter((s) => sign(s) === kind);
    same.forEach((s, i) => (s.mode = "-0+"[kind + 1] + (same.length > 1 ? i + 1 : "")));
  }
  return found;
}

/** Whether the loops have come open by a millionth of the robot's size. */
function torn(state, p) {
  const limit = 1e-6 * scaleOf(p);
  return robot.x.length > 0 && !evaluate("closures", { ...state, p }).gap.every((g) => Math.abs(g) < limit);
}

/**
 * `steps` steps of h seconds with u held, each projected onto the closures: {q, x, q_dot, x_dot, work, ok}.
 * `ok` is false, and the last good state is returned, where numbers overflow or the loops come open.
 */
export function advance(state, u, p, h, steps = 1) {
  let now = { work: 0, ...state };
  for (let k = 0; k < steps; k += 1) {
    const made = evaluate("step", { ...now, u, h, p });
    const next = Object.fromEntries(Object.entries(made).map(([name, value]) => [name.slice(0, -5), value]));
    const finite = Object.values(next).every((v) => (typeof v === "number" ? [v] : v).every(Number.isFinite));
    if (!finite || torn(next, p)) return { ...now, ok: false };
    now = next;
  }
  return { ...now, ok: true };
}
