// What is reported of a measurement.

/**
 * A named ratio with its two sides, and whether it reaches its aim: `{ atMost }` or `{ atLeast }`; without one it is
 * only told.
 */
export function figure(name, measured, { unit, aim }) {
  return { name, unit, ...measured, ...(aim ? { aim, met: reaches(measured.ratio, aim) } : {}) };
}

/** A number that stands for itself. */
export function counted(name, value, { unit, aim }) {
  return { name, unit, value, ...(aim ? { aim, met: reaches(value, aim) } : {}) };
}

function reaches(value, { atMost = Infinity, atLeast = -Infinity }) {
  return value >= atLeast && value <= atMost;
}
