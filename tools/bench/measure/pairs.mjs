// The limit and the product, turn by turn, so that the machine's moods meet both.
import { median } from './statistics.mjs';

/**
 * Measures both sides in pairs, once more in front to warm up, and tells each pair. Each side resolves to what it
 * found; `numberOf` takes the number from that.
 * @returns the median of each side, the ratio product ÷ limit of each pair with their median, and what was found
 */
export async function inPairs({ pairs, limit, product, numberOf = (found) => found, tell = console.log }) {
  await limit();
  await product();
  const [limitRounds, productRounds] = [[], []];
  for (let i = 0; i < pairs; i += 1) {
    limitRounds.push(await limit());
    productRounds.push(await product());
    const ratio = numberOf(productRounds[i]) / numberOf(limitRounds[i]);
    tell(`  pair ${i + 1} of ${pairs}: ${ratio.toFixed(2)} ×`);
  }
  return { ...compare({ limitRounds, productRounds }, numberOf), limitRounds, productRounds };
}

/** The same rounds by another number of what was found in them. */
export function compare({ limitRounds, productRounds }, numberOf) {
  const [limits, products] = [limitRounds.map(numberOf), productRounds.map(numberOf)];
  const ratios = products.map((product, i) => product / limits[i]);
  return { limit: median(limits), product: median(products), ratio: median(ratios), ratios };
}
