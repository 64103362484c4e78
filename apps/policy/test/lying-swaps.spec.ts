import { intentV1, policyV1 } from '@agent-wallet/contracts';
import { checkSwapMessage } from '@agent-wallet/jupiter/checks';
import {
  corpusAccounts,
  forgedSwaps,
  honestSwaps,
  lyingSwaps,
  type SwapCase,
  tablesFor,
} from '@agent-wallet/jupiter/corpus';
import { AppError, newId } from '@agent-wallet/kernel';
import { addressOf, type ChainAccount, type Mint, messageHash, type TokenProgram } from '@agent-wallet/solana';
import { isNightly } from '@agent-wallet/testing';
import { describe, expect, it } from '@jest/globals';
import { NO_SCREENING } from '../src/adapters/screened-recipients.js';
import { Authorize } from '../src/application/permits/authorize.js';
import { IssuePermit } from '../src/application/permits/issue-permit.js';
import { LiquidityMints } from '../src/application/pricing/liquidity-mints.js';
import { PriceIntent } from '../src/application/pricing/price-intent.js';
import { PriceRequest } from '../src/application/pricing/price-request.js';
import { PriceSwap } from '../src/application/pricing/price-swap.js';
import { NO_SPONSORSHIP } from '../src/domain/sponsorship.js';
import type { PolicyChain } from '../src/ports/chain.js';

// The swap service is taken over: it asks for permits with messages of its own, and sends them to the signer. Policy is
// the use case over a chain that holds the corpus's accounts, under a policy of the agent that allows everything.

const WALLET = addressOf(Buffer.alloc(32, 9));
const LIMITS = { maxNetworkFeeLamports: 100_000n };

const HELD = corpusAccounts(WALLET);

const swapOf = (intent: intentV1.Intent) => intent.action!.value as intentV1.Swap;
const honest = honestSwaps(WALLET);
const SPONSOR = honest.find(({ name }) => name === 'sponsored')!.intent.sponsor;
const mints = new Map<string, Mint>(
  honest.flatMap(({ intent }) => {
    const { inputMint, inputTokenProgram, outputMint, outputTokenProgram } = swapOf(intent);
    return [
      mintAt(inputMint, inputTokenProgram as TokenProgram),
      mintAt(outputMint, outputTokenProgram as TokenProgram),
    ];
  }),
);

function mintAt(address: string, tokenProgram: TokenProgram): [string, Mint] {
  return [address, { address, tokenProgram, decimals: 6, extensions: [] }];
}

const notAsked = () => {
  throw new Error('not asked of a swap');
};

/** Policy over a chain with the given accounts. */
function policyOver(held: ReadonlyMap<string, ChainAccount>): Authorize {
  const chain = {
    mint: (address: string) => Promise.resolve(mints.get(address) ?? null),
    accounts: (addresses: readonly string[]) =>
      Promise.resolve({ slot: 1, accounts: addresses.map((address) => held.get(address) ?? null) }),
    rentExemptMinimumLamports: () => Promise.resolve(2_039_280n),
  } as Partial<PolicyChain> as PolicyChain;
  const swaps = new PriceSwap(chain, { prices: () => Promise.resolve(new Map()) }, new LiquidityMints(chain));
  const others = { execute: notAsked } as never;
  const price = new PriceIntent(
    { swaps, transfers: others, escrows: others, liquidity: others },
    {
      ...{ sponsorAddress: SPONSOR, feeWalletAddress: undefined, treasuryAddress: undefined },
      bounds: { ...NO_SPONSORSHIP, maxLamportsPerTransaction: LIMITS.maxNetworkFeeLamports },
      swaps: { maxNetworkLamports: LIMITS.maxNetworkFeeLamports, allowsCosigned: true },
      screening: NO_SCREENING,
    },
  );
  const reserve = () => Promise.resolve({ verdict: 'granted' as const, valueUsdMicros: 1n });
  const recoveries = { hasLanded: () => Promise.resolve(false) };
  const sign = () => ({ keyId: 'k1', signature: Buffer.alloc(64) });
  const issue = new IssuePermit({ sign }, { nowMs: () => 0 });
  const unclaimed = { find: () => Promise.resolve(undefined) };
  const priced = new PriceRequest(price, unclaimed, { byMint: notAsked }, { list: notAsked });
  return new Authorize(priced, { reserve }, recoveries, { issue, explain: others });
}

/** Returns policy's answer: the permit, or the field that it refuses. Every other error is a fault of the test. */
async function permitOf(each: SwapCase): Promise<policyV1.Permit | string> {
  const { message } = each;
  const intent = overTheWire(each.intent);
  // Policy's callers are checked before: swap may ask for swaps alone.
  if (intent?.action?.$case !== 'swap') return 'intent';
  const name = { operationId: newId(), step: 1, attempt: 1, agentId: newId() };
  const policy = policyOver(chainFor(each));
  try {
    return (await policy.execute({ ...name, intent, message, messageHash: messageHash(message) })).permit;
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'VALIDATION_ERROR') throw error;
    return error.details[0]!.field;
  }
}

/** Returns an intent as policy reads it; undefined when it cannot be sent. */
function overTheWire(intent: intentV1.Intent): intentV1.Intent | undefined {
  try {
    return intentV1.Intent.decode(intentV1.Intent.encode(intent).finish());
  } catch {
    return undefined;
  }
}

/** A message that cannot be read has no tables on chain. */
function chainFor(each: SwapCase): ReadonlyMap<string, ChainAccount> {
  try {
    return new Map([...HELD, ...tablesFor(each.message, each.resolvedAddresses)]);
  } catch {
    return HELD;
  }
}

/** Reports whether the signer signs under a permit for an intent: its decision over a message is this check. */
function isSigned(intent: intentV1.Intent, { message, resolvedAddresses }: SwapCase): boolean {
  try {
    checkSwapMessage(message, intent, resolvedAddresses, LIMITS);
    return true;
  } catch {
    return false;
  }
}

/** Asks for all, and counts what is permitted, and what is signed. */
async function outcomesOf(cases: readonly SwapCase[]) {
  const permitted: string[] = [];
  const signed: string[] = [];
  const refusedFields = new Set<string>();
  for (const each of cases) {
    const permit = await permitOf(each);
    if (typeof permit === 'string') refusedFields.add(permit);
    else {
      permitted.push(each.name);
      if (isSigned(policyV1.PermitClaims.decode(permit.claims).intent!, each)) signed.push(each.name);
    }
  }
  return { permitted, signed, refusedFields: [...refusedFields] };
}

/** Returns of each way to forge a swap the last case, which has most in it; the library's own test goes through all. */
function lastOfEachWay(cases: readonly SwapCase[]): SwapCase[] {
  return [...new Map(cases.map((each) => [each.name.slice(each.scenario.length), each])).values()];
}

/** Returns every seventh case, which no round number of ways or scenarios repeats; at night all of them. */
function sampleOf(cases: readonly SwapCase[]): readonly SwapCase[] {
  return isNightly ? cases : cases.filter((_, n) => n % 7 === 0);
}

describe('a swap service that lies', () => {
  it('has every honest swap permitted and signed', async () => {
    const { signed } = await outcomesOf(honest);
    expect(signed).toEqual(honest.map(({ name }) => name));
  });

  it('has no draft permitted that lends an account of the wallet, which the signer alone would sign', async () => {
    const drafts = lyingSwaps(WALLET);
    expect(drafts.length).toBeGreaterThan(3_000);
    expect(new Set(drafts.map(({ name }) => name)).size).toBe(drafts.length);
    expect(drafts.filter((draft) => isSigned(draft.intent, draft)).length).toBeGreaterThan(2_400);
    const outcomes = await outcomesOf(sampleOf(drafts));
    expect(outcomes).toEqual({ permitted: [], signed: [], refusedFields: ['message'] });
  });

  it('has no forged swap signed', async () => {
    const forged = forgedSwaps(WALLET);
    const cases = isNightly ? forged : lastOfEachWay(forged);
    expect(cases.length).toBeGreaterThan(2_500);
    const { permitted, signed } = await outcomesOf(sampleOf(cases));
    expect(signed).toEqual([]);
    // What is permitted is the honest message, with other addresses for the signer than the permitted ones.
    expect(permitted.filter((name) => !name.endsWith(', not permitted'))).toEqual([]);
  });
});
