// The limit and the product, turn by turn, so that the machine's moods meet both.
import { median } from './statistics.mjs';

/**
 * Measures both sides in pairs, once more in front to warm up. Each side resolves to what it found; `valueOf` takes
 * the number from that, for the limit and for the product.
 * @returns the median of each side, the ratio product ÷ limit of each pair with their median, and what was found
 */
export async function inPairs({ pairs, limit, product, valueOf = (found) => found }) {
  await limit();
  await product();
  const [limitRounds, productRounds] = [[], []];
  for (let i = 0; i < pairs; i += 1) {
    limitRounds.push(await limit());
    productRounds.push(await product());
  }
  const [limits, products] = [limitRounds.map(valueOf), productRounds.map(valueOf)];
  const ratios = products.map((value, i) => value / limits[i]);
  const medians = { limit: median(limits), product: median(products), ratio: median(ratios) };
  return { ...medians, ratios, limitRounds, productRounds };
}
