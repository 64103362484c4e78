import { CPMM_AUTHORITY, readMint } from '@agent-wallet/solana';
import type { PolicyChain } from '../../ports/chain.js';
import type { UnpricedMint } from '../../ports/reservation-store.js';
import { askUpstream, hasNoMarket, type PriceResults } from './known-prices.js';

/**
 * Returns a mint that leaves without a price, where an owner may have listed it as worthless: it has no market. Liquidity
 * tokens have none either and are worth their share of a pool, so that they never leave so.
 * @param otherUsdMicros value of all else that leaves, in micro-dollars
 * @throws AppError UPSTREAM_ERROR and UPSTREAM_TIMEOUT when the chain does not answer
 */
export async function unpricedMint(
  chain: Pick<PolicyChain, 'accounts'>,
  found: PriceResults,
  { mint, otherUsdMicros }: UnpricedMint,
): Promise<UnpricedMint | undefined> {
  if (!hasNoMarket(found, mint)) return undefined;
  const { accounts } = await askUpstream(() => chain.accounts([mint]));
  const isOfPool = accounts[0] && readMint(mint, accounts[0])?.mintAuthority === CPMM_AUTHORITY;
  return isOfPool ? undefined : { mint, otherUsdMicros };
}
