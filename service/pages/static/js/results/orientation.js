// Initial orientation of a ligand: its flat side to the reader, its open side in front.

const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const minus = (a) => a.map((part) => -part);

function unit(a) {
  const length = Math.hypot(...a);
  return length > 1e-9 ? a.map((part) => part / length) : null;
}

/** Return the direction in which points spread most. @param {number[][]} points about their middle @param {number[]} start */
function widest(points, start) {
  let axis = start;
  for (let round = 0; round < 60; round += 1) {
    const next = [0, 0, 0];
    for (const point of points) {
      const along = dot(point, axis);
      for (let k = 0; k < 3; k += 1) next[k] += along * point[k];
    }
    axis = unit(next) ?? axis;
  }
  return axis;
}

/**
 * Return the turn (quaternion x, y, z, w) that lays points flat, longest side across.
 * @param {{x: number, y: number, z: number}[]} atoms
 * @param {number[]} weights weight of each in the front
 */
export function facing(atoms, weights) {
  const middle = ["x", "y", "z"].map((axis) => atoms.reduce((sum, atom) => sum + atom[axis], 0) / atoms.length);
  const points = atoms.map((atom) => [atom.x - middle[0], atom.y - middle[1], atom.z - middle[2]]);
  const first = widest(points, unit([1, 0.37, 0.21]));
  const rest = points.map((point) => point.map((part, k) => part - dot(point, first) * first[k]));
  const seed = unit(cross(first, Math.abs(first[0]) < 0.9 ? [1, 0, 0] : [0, 1, 0]));
  let second = widest(rest, seed);
  second = unit(second.map((part, k) => part - dot(second, first) * first[k])) ?? seed;
  let third = cross(first, second);
  const front = points.reduce((sum, point, n) => sum + weights[n] * dot(point, third), 0);
  if (front < 0) [second, third] = [minus(second), minus(third)];
  return quaternion([first, second, third]);
}

/** Return a rotation, given as rows, as a quaternion. */
function quaternion([[a, b, c], [d, e, f], [g, h, i]]) {
  const trace = a + e + i;
  if (trace > 0) {
    const s = 2 * Math.sqrt(trace + 1);
    return [(h - f) / s, (c - g) / s, (d - b) / s, s / 4];
  }
  if (a > e && a > i) {
    const s = 2 * Math.sqrt(1 + a - e - i);
    return [s / 4, (b + d) / s, (c + g) / s, (h - f) / s];
  }
  if (e > i) {
    const s = 2 * Math.sqrt(1 + e - a - i);
    return [(b + d) / s, s / 4, (f + h) / s, (c - g) / s];
  }
  const s = 2 * Math.sqrt(1 + i - a - e);
  return [(c + g) / s, (f + h) / s, s / 4, (d - b) / s];
}
