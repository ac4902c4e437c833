// Colours of relative exposure: the stops come from the server, which uses them everywhere.

/**
 * @typedef {{stops: [number, [number, number, number]][], unknown: string}} Ramp
 */

/**
 * Return the colour of a relative exposure as #rrggbb.
 * @param {Ramp} ramp stops in order
 * @param {number|null|undefined} share 0 (buried) to 1 (open)
 */
export function colourOf(ramp, share) {
  if (share === null || share === undefined) return ramp.unknown;
  const value = Math.min(Math.max(share, 0), 1);
  for (let k = 1; k < ramp.stops.length; k += 1) {
    const [low, first] = ramp.stops[k - 1];
    const [high, second] = ramp.stops[k];
    if (value > high) continue;
    const part = (value - low) / (high - low);
    return `#${first.map((a, n) => Math.round(a + (second[n] - a) * part).toString(16).padStart(2, "0")).join("")}`;
  }
  return ramp.unknown;
}

/** Return the style class of a share: steps of five percent. @param {number} share */
export function stepClass(share) {
  return `x${5 * Math.round(20 * Math.min(Math.max(share, 0), 1))}`;
}
