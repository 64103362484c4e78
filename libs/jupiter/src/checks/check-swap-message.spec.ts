import { propertyRuns } from '@agent-wallet/testing';
import { MessageRefused } from '@agent-wallet/solana/checks';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readRoute } from '../messages/read-route.js';
import { readSwapMessage } from '../messages/swap-message.js';
import { JUPITER_PROGRAM, ORDER_ENGINE_PROGRAM } from '../programs.js';
import { walletOf } from '../testing/actors.js';
import { swapOf } from '../testing/scenarios.js';
import { forgedSwaps, honestSwaps, randomSwaps, SWAP_CORPUS_LIMITS, type SwapCase } from '../testing/corpus.js';
import { checkSwapMessage } from './check-swap-message.js';

const WALLET = walletOf('wallet');
const HONEST = honestSwaps(WALLET);
const FORGED = forgedSwaps(WALLET);
const WAYS = new Set(FORGED.map(({ name, scenario }) => name.slice(scenario.length)));

/** Undefined when the message may be signed. @throws every error that is not a refusal */
function refusalOf(
  { message, intent, resolvedAddresses }: Omit<SwapCase, 'name' | 'scenario'>,
  limits = SWAP_CORPUS_LIMITS,
): MessageRefused | undefined {
  try {
    checkSwapMessage(message, intent, resolvedAddresses, limits);
    return undefined;
  } catch (error) {
    if (error instanceof MessageRefused) return error;
    throw error;
  }
}

/** All that a message does to the wallet: its terms, who signs, every instruction but the venues' part of a route. */
function effectOf({ message, intent, resolvedAddresses }: SwapCase): unknown {
  const { signers, instructions } = readSwapMessage(message, resolvedAddresses);
  // A lower fee does no harm.
  const { networkLamports, platformFeeBps: _, ...terms } = readRoute(message, resolvedAddresses);
  const effects = instructions.map(({ program, accounts, data }) => {
    if (program === ORDER_ENGINE_PROGRAM) return [program, accounts.filter((_, i) => i !== 3 && i !== 5)];
    if (program !== JUPITER_PROGRAM)
      return [program, accounts, data[0] === 2 || data[0] === 3 ? '' : data.toString('hex')];
    return [program, data[0] === 0xbb ? accounts.slice(0, 7) : accounts.filter((_, i) => i < 12 && i !== 3 && i !== 4)];
  });
  return { terms, signers, effects, isDearer: networkLamports > swapOf(intent).maxNetworkLamports };
}

describe('checking a swap', () => {
  it.each(HONEST)('lets $name through', (honest) => {
    expect(refusalOf(honest)?.message).toBeUndefined();
  });

  it('lets every swap that may be permitted through, under its own intent and under no other', () => {
    const swaps = randomSwaps(WALLET);
    fc.assert(
      fc.property(swaps, swaps, (one, other) => {
        expect(refusalOf(one)?.message).toBeUndefined();
        if (Buffer.compare(one.message, other.message) === 0) return;
        expect(refusalOf({ ...other, intent: one.intent })).toBeDefined();
      }),
      { numRuns: propertyRuns(300) },
    );
  });

  it(`refuses the whole corpus: ${FORGED.length} forgeries, made in ${WAYS.size} ways`, () => {
    expect(WAYS.size).toBeGreaterThanOrEqual(2_500);
    expect(FORGED.length).toBeGreaterThanOrEqual(14_000);
    expect(new Set(FORGED.map(({ name }) => name)).size).toBe(FORGED.length);
    expect(FORGED.filter((one) => !refusalOf(one)).map(({ name }) => name)).toEqual([]);
  });

  it.each([
    ['tokens', 'SOL to a thief, as much as a tip at the end', 'instruction'],
    ['tokens', 'a nonce advanced at the front', 'instruction'],
    ['tokens', 'a delegate after the trade', 'instruction'],
    ['tokens', 'a memo at the end', 'program'],
    ['tokens', 'the same trade at the end', 'route'],
    ['tokens', "the aggregator's route instead of the trade", 'route'],
    ['tokens', "the aggregator's exact_out_route_v2 instead of the trade", 'route'],
    ['tokens', `instruction 2: account 7 is a thief`, 'account'],
    ['tokens', "instruction 2: account 2 is the thief's account of the output", 'account'],
    ['tokens', `paid by gasTzr94Pmp4Gf8vknQnqxeYxdgwFjbgdJa4msYRpnB`, 'signers'],
    ['tokens', 'venues are lent 11111111111111111111111111111111', 'account'],
    ['tokens', 'instruction 2: slippage 10000', 'route'],
    ['tokens', 'instruction 2: a share of a better price 1', 'route'],
    ['native in', 'instruction 7: account 1 is a thief', 'instruction'],
    ['native out', 'a tip beyond the bound at the end', 'network_fee'],
    ['native out', 'another tip of one lamport at the end', 'network_fee'],
    ['native out', 'without instruction 4', 'instruction'],
    ['three legs, tables', "the wallet's savings in a table", 'account'],
    ['three legs, tables', 'addresses reversed, not permitted', 'lookup_table'],
    ['shared accounts', 'instruction 5: authority 4', 'account'],
    ['sponsored', 'without instruction 2', 'instruction'],
    ['sponsored', 'without instruction 5', 'instruction'],
    ['sponsored', "a tip of the wallet's", 'instruction'],
    ['sponsored', 'one lamport more for the sponsor', 'instruction'],
    ['sponsored', 'SOL of the sponsor for a thief', 'instruction'],
    ['sponsored', 'an intent with sponsor unset, maxNetworkFeeLamports unset', 'intent'],
    ['sponsored', 'an intent with maxNetworkFeeLamports "65001"', 'intent'],
    ['sponsored', 'an intent with returnedRentLamports "2039279"', 'instruction'],
    ['sponsored, account there', 'an intent with returnedRentLamports "1"', 'instruction'],
    ['sponsored, account there', `venues are lent ${walletOf('sponsor')}`, 'account'],
    ['native in', `an intent with sponsor "${walletOf('sponsor')}", maxNetworkFeeLamports "20000"`, 'intent'],
    ['fill', 'another maker', 'signers'],
    ['fill', 'instruction 3: good until 0', 'route'],
  ])('refuses of %s: %s, because of: %s', (scenario, way, reason) => {
    const forged = FORGED.find(({ name }) => name === `${scenario}: ${way}`);
    expect(refusalOf(forged!)?.reason).toBe(reason);
  });

  it.each(HONEST)('refuses a flipped bit anywhere in $name that changes what it does to the wallet', (honest) => {
    const effect = effectOf(honest);
    let taken = 0;
    for (let i = 0; i < honest.message.length * 8; i += 3) {
      const message = honest.message.with(i >> 3, honest.message[i >> 3]! ^ (1 << (i & 7)));
      const flipped = { ...honest, message };
      if (refusalOf(flipped)) continue;
      taken += 1;
      expect(effectOf(flipped)).toEqual(effect);
    }
    // The blockhash at least is free.
    expect(taken).toBeGreaterThanOrEqual(85);
  });

  it.each(HONEST)('refuses $name cut off anywhere', (honest) => {
    for (let length = 0; length < honest.message.length; length += 1) {
      const message = honest.message.subarray(0, length);
      expect(refusalOf({ ...honest, message })?.reason).toBe('malformed');
    }
    expect(() => readRoute(honest.message.subarray(1), [])).toThrow(MessageRefused);
  });

  it('bounds network fee and tips by the intent and by its own limit', () => {
    const tipped = HONEST.find(({ name }) => name === 'native out')!;
    const limits = (maxNetworkFeeLamports: bigint) => ({ maxNetworkFeeLamports });
    expect(refusalOf(tipped, limits(60_000n))).toBeUndefined();
    expect(refusalOf(tipped, limits(59_999n))).toMatchObject({
      reason: 'network_fee',
      message: 'Network fee and tips of 60000 lamports are above the limit of 59999.',
    });
  });

  it("does not count the maker's network fee", () => {
    const fill = HONEST.find(({ name }) => name === 'fill')!;
    expect(refusalOf(fill, { maxNetworkFeeLamports: 0n })).toBeUndefined();
  });
});
