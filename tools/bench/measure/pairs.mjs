// The limit and the product, turn by turn, so that the machine's moods meet both; and figures out of what was found.

/**
 * Measures both sides in pairs, once more in front to warm up (or by `warmUp`), and prints each pair. The sides take turns to be first.
 * Each side resolves to what it found; `numberOf` takes the number from that.
 * @returns the median of each side, the ratio product ÷ limit of each pair with their median, and what was found
 */
export async function inPairs({ pairs, limit, product, warmUp, numberOf = (found) => found, tell = console.log }) {
  for (const warm of warmUp ?? [limit, product]) await warm();
  const rounds = { limitRounds: [], productRounds: [] };
  const measureLimit = async () => rounds.limitRounds.push(await limit());
  const measureProduct = async () => rounds.productRounds.push(await product());
  for (let i = 0; i < pairs; i += 1) {
    for (const measure of i % 2 === 0 ? [measureLimit, measureProduct] : [measureProduct, measureLimit])
      await measure();
    const ratio = numberOf(rounds.productRounds[i]) / numberOf(rounds.limitRounds[i]);
    tell(`  pair ${i + 1} of ${pairs}: ${ratio.toFixed(2)} ×`);
  }
  return { ...compare(rounds, numberOf), ...rounds };
}

/** The same rounds by another number of what was found in them. */
export function compare({ limitRounds, productRounds }, numberOf) {
  const [limits, products] = [limitRounds.map(numberOf), productRounds.map(numberOf)];
  const ratios = products.map((product, i) => product / limits[i]);
  return { limit: median(limits), product: median(products), ratio: median(ratios), ratios };
}

/** A named ratio with its two sides, and whether it reaches its aim, `{ atMost }` or `{ atLeast }`, if it has one. */
export function figure(name, measured, { unit, aim }) {
  return { name, unit, ...measured, ...(aim ? { aim, met: reaches(measured.ratio, aim) } : {}) };
}

/** A number that stands for itself. */
export const counted = (name, value, { unit }) => ({ name, unit, value });

const reaches = (value, { atMost = Infinity, atLeast = -Infinity }) => value >= atLeast && value <= atMost;

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
