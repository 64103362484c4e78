// What is reported of a measurement.

/**
 * A named ratio with its two sides, and whether it reaches its aim: `{ atMost }` or `{ atLeast }`; without one it is
 * only told.
 */
export function figure(name, measured, { unit, aim }) {
  return { name, unit, ...measured, ...(aim ? { aim, met: reaches(measured.ratio, aim) } : {}) };
}

function reaches(ratio, { atMost = Infinity, atLeast = -Infinity }) {
  return ratio >= atLeast && ratio <= atMost;
}
