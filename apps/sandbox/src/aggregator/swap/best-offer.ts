import type { Chain } from '../../chain/chain.js';
import { keyText } from '../../encoding/keys.js';
import type { Market } from '../../market/market.js';
import { makerOffer } from './maker-offer.js';
import type { Offer } from './offer.js';
import type { OrderQuery } from './order-query.js';
import { estimatedSlippageBps, platformFeeBps } from './platform-fee.js';
import { poolOffer } from './pool-offer.js';

/** The offer that gives most, of the routers that may be used; undefined when none has one. */
export function bestOffer(desk: { chain: Chain; market: Market }, query: OrderQuery): Offer | undefined {
  const { excludeRouters } = query;
  const pools = excludeRouters.has('metis') ? undefined : fromPools(desk, query);
  const maker = excludeRouters.has('jupiterz') || query.payer !== undefined ? undefined : makerOffer(desk, query);
  if (!pools || !maker) return pools ?? maker;
  return maker.outAmount > pools.outAmount ? maker : pools;
}

function fromPools({ chain, market }: { chain: Chain; market: Market }, query: OrderQuery): Offer | undefined {
  const { inputMint, outputMint, amount, excludeDexes } = query;
  const route = market.quote(keyText(inputMint), keyText(outputMint), amount, { excludeDexes });
  if (!route) return undefined;
  const slippageBps = query.slippageBps ?? estimatedSlippageBps(inputMint, outputMint);
  const offer = poolOffer(chain, route, { slippageBps, platformFeeBps: platformFeeBps(inputMint, outputMint) });
  return offer.outAmount > 0n ? offer : undefined;
}
