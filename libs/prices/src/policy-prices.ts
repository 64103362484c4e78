import type { policyV1 } from '@agent-wallet/contracts';
import { formatAmount, parseUsdPrice } from '@agent-wallet/kernel';
import { isKnown, type PriceResult, type PriceUnavailable, type UsdPrices } from './usd-prices.js';

/** Maximum number of mints in one request. */
export const MAX_REQUESTED_PRICES = 100;

/** Policy's prices as other services ask for them; a generated client fits. */
interface PricesOfPolicy {
  getPrices(request: policyV1.GetPricesRequest): Promise<policyV1.GetPricesResponse>;
}

/** Prices of the policy service, which alone reads the price API: all replicas of all services share one budget. */
export function policyPrices(policy: PricesOfPolicy): UsdPrices {
  return {
    prices: async (mints, { isShown: shown = false } = {}) => {
      const requests = [];
      for (let at = 0; at < mints.length; at += MAX_REQUESTED_PRICES)
        requests.push(policy.getPrices({ mints: mints.slice(at, at + MAX_REQUESTED_PRICES), shown }));
      const found = (await Promise.all(requests)).flatMap(({ prices }) => prices);
      return new Map(found.map((message) => [message.mint, toResult(message)]));
    },
  };
}

function toResult({ result }: policyV1.TokenPrice): PriceResult {
  if (result?.$case !== 'known') return { unavailable: (result?.value ?? 'unknown') as PriceUnavailable };
  const { usd, decimals, pricedAtMs, readAtMs, liquidityUsd = null } = result.value;
  const price = parseUsdPrice(usd);
  return { price, decimals, liquidityUsd, pricedAtMs: Number(pricedAtMs), readAtMs: Number(readAtMs) };
}

/** Converts results to policy's message. */
export function pricesMessage(results: ReadonlyMap<string, PriceResult>): policyV1.GetPricesResponse {
  return { prices: [...results].map(([mint, result]) => ({ mint, result: resultMessage(result) })) };
}

function resultMessage(result: PriceResult): policyV1.TokenPrice['result'] {
  if (!isKnown(result)) return { $case: 'unavailable', value: result.unavailable };
  const { price, decimals, liquidityUsd, pricedAtMs, readAtMs } = result;
  const times = { pricedAtMs: BigInt(pricedAtMs), readAtMs: BigInt(readAtMs) };
  const usd = formatAmount(price.digits, price.scale);
  return { $case: 'known', value: { usd, decimals, ...times, liquidityUsd: liquidityUsd ?? undefined } };
}
