import { newId } from '@agent-wallet/kernel';
import type { Chain } from '../../chain/chain.js';
import { NATIVE_MINT } from '../../chain/programs.js';
import { type Key, keyText } from '../../encoding/keys.js';
import { fillInstruction, type FillSide } from '../../market/fill.js';
import type { Market } from '../../market/market.js';
import { walk } from '../../market/price-walk.js';
import type { Part } from './draft.js';
import { lackOf } from './funds.js';
import { budgetParts, type NetworkFees } from './network-fees.js';
import type { Offer, Plan, Problem } from './offer.js';
import type { OrderQuery } from './order-query.js';
import { createAccount } from './pool-offer.js';
import { type Side, sideOf } from './side.js';

/** How long a market maker stands by its price. */
const QUOTE_LIFE_SECONDS = 60;

/** What it keeps for itself: between 0 and twice this, as its mood goes. */
const SPREAD_BPS = 6;
const SPREAD_PARTS = 1_000;

/** How far the price may move against the maker before its final check refuses. */
const FINAL_CHECK_BPS = 10n;

const PROBLEMS: Readonly<Record<'input' | 'lamports', Problem>> = {
  input: { code: 1, message: 'Insufficient balance' },
  lamports: { code: 2, message: 'The associated token account is missing' },
};

/** What an offer of the market maker needs. */
interface Desk {
  readonly chain: Chain;
  readonly market: Market;
}

/** The market maker's fixed price, co-signed and paid for by it; undefined when it has none. */
export function makerOffer({ chain, market }: Desk, query: OrderQuery): Offer | undefined {
  const { inputMint, outputMint, amount: inAmount } = query;
  const mints = [inputMint, outputMint].map(keyText) as [string, string];
  const isStocked = (mint: Key) => mint === NATIVE_MINT || market.maker.tokenAccount(keyText(mint)) !== undefined;
  if (!isStocked(inputMint) || !isStocked(outputMint)) return undefined;
  const fair = market.fairOutput(...mints, inAmount);
  if (fair === undefined) return undefined;
  const nowMs = chain.clock.nowMs();
  const outAmount =
    (fair * BigInt(10_000 * SPREAD_PARTS - spread(chain, mints, nowMs))) / BigInt(10_000 * SPREAD_PARTS);
  if (outAmount === 0n) return undefined;
  const address = keyText(market.maker.keypair.key);
  const maker = { address, quoteId: newId(), expireAtSeconds: Math.floor(nowMs / 1000) + QUOTE_LIFE_SECONDS };
  const leg = { venue: 'JupiterZ', ammKey: address, inputMint: mints[0], outputMint: mints[1], inAmount, outAmount };
  const offer = {
    router: 'jupiterz' as const,
    inputMint,
    outputMint,
    inAmount,
    outAmount,
    slippageBps: 0,
    platformFeeBps: 0,
    priceImpactPct: 0,
    legs: [{ ...leg, bps: 10_000 }],
    maker,
  };
  return { ...offer, plan: (taker, fees) => plan({ chain, market }, offer, { taker, fees }) };
}

/** Whether the maker still wants a trade it has priced before. */
export function passesFinalCheck(market: Market, offer: Offer): boolean {
  const fair = market.fairOutput(keyText(offer.inputMint), keyText(offer.outputMint), offer.inAmount);
  return fair !== undefined && offer.outAmount * 10_000n <= fair * (10_000n + FINAL_CHECK_BPS);
}

function spread(chain: Chain, mints: readonly string[], nowMs: number): number {
  const mood = walk(chain.genesis.seed, `maker/${mints.join('/')}`, nowMs);
  return Math.round(SPREAD_BPS * SPREAD_PARTS * (1 + mood));
}

type Priced = Omit<Offer, 'plan'> & { readonly maker: NonNullable<Offer['maker']> };

function plan({ chain, market }: Desk, offer: Priced, { taker, fees }: { taker: Key; fees: NetworkFees }): Plan {
  const [input, output] = [offer.inputMint, offer.outputMint].map((mint) => sideOf(chain, taker, mint)!);
  const isMade = !output!.isNative && !output!.exists;
  const fill = fillInstruction({
    taker: keyText(taker),
    maker: offer.maker.address,
    input: fillSide(market, input!, offer.inAmount),
    output: fillSide(market, output!, offer.outAmount),
    expireAtSeconds: offer.maker.expireAtSeconds,
  });
  const parts: Part[] = [
    ...budgetParts(fees),
    ...(isMade ? [{ role: 'setup' as const, instruction: createAccount(taker, taker, output!) }] : []),
    { role: 'swap', instruction: fill },
  ];
  const rentLamports = isMade ? output!.rentLamports : 0n;
  const costs = { networkLamports: 0n, rentLamports, passingRentLamports: 0n };
  const lack = lackOf(chain, taker, input!, { inAmount: offer.inAmount, ...costs });
  const draft = { payer: market.maker.keypair.key, parts, tables: [] };
  return { draft, input: input!, output: output!, rentLamports, problem: lack && PROBLEMS[lack] };
}

function fillSide(market: Market, side: Side, amount: bigint): FillSide {
  const mint = keyText(side.mint);
  const isNative = side.mint === NATIVE_MINT;
  return {
    mint,
    tokenProgram: keyText(side.program),
    takerAccount: isNative ? undefined : keyText(side.account),
    makerAccount: isNative ? undefined : market.maker.tokenAccount(mint),
    amount,
  };
}
