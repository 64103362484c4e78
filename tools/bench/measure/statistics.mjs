// Figures out of measurements.

/** The value in the middle; of an even number, the mean of the two. */
export function median(values) {
  return (quantile(values, 0.5, Math.floor) + quantile(values, 0.5, Math.ceil)) / 2;
}

/** The value that a share of all values does not pass. */
export function percentile(values, share) {
  return quantile(values, share, Math.ceil);
}

function quantile(values, share, round) {
  return values.toSorted((a, b) => a - b)[round((values.length - 1) * share)];
}

export const sum = (values) => values.reduce((total, value) => total + value, 0);
