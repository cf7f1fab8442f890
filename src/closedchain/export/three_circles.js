// A plate whose three points lie on three circles: every pose, from the roots of a polynomial of degree 6.
// Points of the plane are complex numbers [re, im]; leg 1 is the reference.

const add = (a, b) => [a[0] + b[0], a[1] + b[1]];
const sub = (a, b) => [a[0] - b[0], a[1] - b[1]];
const mul = (a, b) => [a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]];
const by = (a, s) => [a[0] * s, a[1] * s];
const conj = (a) => [a[0], -a[1]];
const over = (a, b) => by(mul(a, conj(b)), 1 / (b[0] * b[0] + b[1] * b[1]));
const size = (a) => Math.hypot(a[0], a[1]);
const turn = (phi) => [Math.cos(phi), Math.sin(phi)];

/** Poses [{x: [x, y, φ], double}] with |(x, y) + R(φ) local_i − centre_i| = radius_i. */
function threeCircles(centre, radius, local) {
  const scale = Math.max(...centre.map((c, i) => Math.abs(c - centre[i % 2])), ...radius, ...local.map(Math.abs)) || 1;
  const point = (a, i) => [a[2 * i] / scale, a[2 * i + 1] / scale];
  const d = [0, 1, 2].map((i) => sub(point(local, i), point(local, 0)));
  const e = [0, 1, 2].map((i) => sub(point(centre, i), point(centre, 0)));
  const rho = Array.from(radius, (r) => r / scale);
  const plate = { d, e, rho, arm: Math.max(...d.map(size)) || 1 };
  const found = [];
  for (const start of angles(eliminant(plate)).flatMap((phi) => starts(plate, phi))) {
    const pose = polish(plate, start);
    if (pose.error <= 1e-13 && !found.some((other) => distance(plate, other, pose) < 1e-7)) found.push(pose);
  }
  return found.map(({ U, phi, margin }) => {
    const z = turn(phi);
    const origin = sub(add(point(centre, 0), U), mul(z, point(local, 0)));
    return { x: [origin[0] * scale, origin[1] * scale, Math.atan2(z[1], z[0])], double: margin < 1e-7 };
  });
}

const distance = (plate, a, b) => Math.hypot(size(sub(a.U, b.U)), plate.arm * size(sub(turn(a.phi), turn(b.phi))));

/** Coefficients c_0..c_3 of f(φ) = Re c_0 + 2 Re Σ c_k e^{ikφ}, which vanishes at every pose. */
function eliminant({ d, e, rho }) {
  const square = (a) => a[0] * a[0] + a[1] * a[1];
  const linear = (c0, c1) => [[c0, 0], c1];
  const N2 = linear(square(d[1]) + square(e[1]), by(mul(conj(e[1]), d[1]), -1));
  const N3 = linear(square(d[2]) + square(e[2]), by(mul(conj(e[2]), d[2]), -1));
  const inner = add(mul(conj(d[1]), d[2]), mul(conj(e[1]), e[2]));
  const cross2 = mul(conj(e[2]), d[1]);
  const cross3 = mul(conj(e[1]), d[2]);
  const g = linear(inner[0], by(add(cross2, cross3), -0.5));
  const D = linear(inner[1], over(sub(cross2, cross3), [0, 2]));
  const negative = (a) => a.map((c) => by(c, -1));
  const [w2, w3] = [negative(N2), negative(N3)];
  w2[0] = add(w2[0], [(rho[1] - rho[0]) * (rho[1] + rho[0]), 0]);
  w3[0] = add(w3[0], [(rho[2] - rho[0]) * (rho[2] + rho[0]), 0]);
  const c = product(product(w2, w2), N3);
  const second = product(product(w3, w3), N2);
  const third = product(product(w2, w3), g);
  const fourth = product(D, D);
  return c.map((value, k) => {
    const sum = sub(add(value, second[k]), by(third[k], 2));
    return k < 3 ? sub(sum, by(fourth[k], 4 * rho[0] * rho[0])) : sum;
  });
}

/** Coefficients of the product of two real trigonometric polynomials. */
function product(a, b) {
  const whole = (c) => [...c.slice(1).reverse().map(conj), ...c];
  const [left, right] = [whole(a), whole(b)];
  const out = Array.from({ length: left.length + right.length - 1 }, () => [0, 0]);
  left.forEach((l, i) => right.forEach((r, j) => (out[i + j] = add(out[i + j], mul(l, r)))));
  return out.slice((out.length - 1) / 2);
}

/** Angles of the roots z of z³ f near the unit circle, by Aberth's iteration; neighbours of those a little off it. */
function angles(c) {
  const whole = [...c.slice(1).reverse().map(conj), ...c]; // powers 0..6 of z
  const largest = Math.max(...whole.map(size));
  if (!(largest > 0)) return [];
  let degree = 6;
  while (degree > 0 && size(whole[degree]) <= 1e-15 * largest) degree -= 1;
  const roots = aberth(whole.slice(0, degree + 1));
  return roots.flatMap((z) => {
    const off = Math.abs(Math.log(Math.max(size(z), 1e-300)));
    if (off > 0.02) return [];
    const phi = Math.atan2(z[1], z[0]);
    return off > 1e-10 ? [phi, phi + off, phi - off] : [phi];
  });
}

function aberth(a) {
  const n = a.length - 1;
  let roots = Array.from({ length: n }, (_, k) => by(turn(0.4 + (2 * Math.PI * k) / n), 0.9 + (0.2 * k) / n));
  for (let round = 0; round < 200; round += 1) {
    let moved = 0;
    for (let k = 0; k < n; k += 1) {
      let [value, slope] = [a[n], [0, 0]];
      for (let i = n - 1; i >= 0; i -= 1) {
        slope = add(mul(slope, roots[k]), value);
        value = add(mul(value, roots[k]), a[i]);
      }
      if (size(value) === 0) continue;
      let repulsion = [0, 0];
      for (let j = 0; j < n; j += 1) {
        const apart = sub(roots[k], roots[j]);
        if (j !== k && size(apart) > 0) repulsion = add(repulsion, over([1, 0], apart));
      }
      const step = over(value, sub(slope, mul(value, repulsion)));
      if (!Number.isFinite(step[0] + step[1])) continue;
      roots[k] = sub(roots[k], step);
      moved = Math.max(moved, size(step) / Math.max(size(roots[k]), 1e-300));
    }
    if (moved < 1e-16) break;
  }
  return roots;
}

/** U = P_1 − a_1 at an angle: from the two linear equations 2 U·n_i = w_i, and where the longer meets circle 1. */
function starts({ d, e, rho }, phi) {
  const z = turn(phi);
  const n = [1, 2].map((i) => sub(mul(d[i], z), e[i]));
  const w = n.map((v, i) => (rho[i + 1] - rho[0]) * (rho[i + 1] + rho[0]) - (v[0] * v[0] + v[1] * v[1]));
  const D = n[0][0] * n[1][1] - n[0][1] * n[1][0];
  const made = [];
  const U = mul([0, -1], by(sub(by(n[1], w[0]), by(n[0], w[1])), 1 / (2 * D)));
  if (Number.isFinite(U[0] + U[1]) && size(U) <= 4) made.push({ U, phi });
  const k = size(n[0]) >= size(n[1]) ? 0 : 1;
  const length = size(n[k]);
  const unit = length > 0 ? by(n[k], 1 / length) : [1, 0];
  const along = Math.min(Math.max(length > 0 ? w[k] / (2 * length) : 0, -rho[0]), rho[0]);
  const across = Math.sqrt(Math.max(rho[0] * rho[0] - along * along, 0));
  return [...made, { U: mul(unit, [along, across]), phi }, { U: mul(unit, [along, -across]), phi }];
}

/** Newton's method on |V_i| = ρ_i with limited steps: the best iterate, its error, |det| over its rows' lengths. */
function polish(plate, start) {
  let { U, phi } = start;
  let best = { U, phi, error: Infinity, margin: 0 };
  for (let round = 0; round < 14; round += 1) {
    const z = turn(phi);
    const legs = plate.d.map((d, i) => sub(add(U, mul(d, z)), plate.e[i]));
    const excess = legs.map((V, i) => size(V) - plate.rho[i]);
    const rows = legs.map((V, i) => {
      const m = mul([0, 1], mul(plate.d[i], z));
      return [V[0], V[1], (V[0] * m[0] + V[1] * m[1]) / plate.arm];
    });
    const [r0, r1, r2] = rows;
    const cofactor = [cross(r1, r2), cross(r2, r0), cross(r0, r1)];
    const det = r0[0] * cofactor[0][0] + r0[1] * cofactor[0][1] + r0[2] * cofactor[0][2];
    const lengths = rows.reduce((m, r) => m * Math.hypot(...r), 1);
    const error = Math.max(...excess.map(Math.abs));
    const leap = best.error <= 1e-14 && Math.max(size(sub(U, best.U)), Math.abs(phi - best.phi)) > 1e-6;
    if (error < best.error && !leap) best = { U, phi, error, margin: lengths > 0 ? Math.abs(det) / lengths : 0 };
    const pushed = (j) => legs.reduce((sum, V, i) => sum + excess[i] * size(V) * cofactor[i][j], 0);
    const step = [0, 1, 2].map((j) => -pushed(j) / (det || 1e-300));
    const far = Math.max(2 * Math.hypot(step[0], step[1]), Math.abs(step[2] / plate.arm) / 0.3, 1);
    const limit = 1 / far;
    U = add(U, by([step[0], step[1]], limit));
    phi += (limit * step[2]) / plate.arm;
  }
  return best;
}

const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
