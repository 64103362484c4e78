import { newAddress } from '@agent-wallet/solana/corpus';
import { describe, expect, it } from '@jest/globals';
import type { intentV1 } from '@agent-wallet/contracts';
import { LOOKUP_TABLE_PROGRAM, minimumOutput, orderResponse } from '@agent-wallet/jupiter';
import { forgedSwaps, honestSwaps, type SwapCase } from '@agent-wallet/jupiter/corpus';
import { AppError } from '@agent-wallet/kernel';
import { addressOf, assembleTransaction } from '@agent-wallet/solana';
import { decodeMessage } from '@agent-wallet/solana/checks';
import { type AskedTrade, checkOffer, type CheckedOffer } from '../src/application/check-offer.js';
import { orderJson } from './order-responses.js';

const wallet = newAddress();
const limits = { allowsCosigned: true, maxNetworkLamports: 100_000n };
const honest = new Map(honestSwaps(wallet).map((one) => [one.scenario, one]));

function swapOf({ action }: intentV1.Intent): intentV1.Swap {
  if (action?.$case !== 'swap') throw new Error('no swap');
  return action.value;
}

/** What the agent asked for, when it gets this intent. */
function askedOf({ intent }: SwapCase): AskedTrade {
  const swap = swapOf(intent);
  const { sponsor } = intent;
  return {
    wallet,
    input: { mint: swap.inputMint, symbol: 'A', decimals: swap.inputDecimals, tokenProgram: swap.inputTokenProgram },
    output: { mint: swap.outputMint, symbol: 'B', decimals: 6, tokenProgram: swap.outputTokenProgram },
    ...{ amount: swap.inputAmount, slippageBps: swap.slippageBps, sponsor, allowUnpricedOutput: false },
  };
}

/** Lookup tables that hold what the case says they hold. */
function chainWith({ message, resolvedAddresses }: SwapCase) {
  const tables = new Map<string, Buffer>();
  const all = [...resolvedAddresses];
  let lookups: ReturnType<typeof decodeMessage>['lookups'] = [];
  try {
    lookups = decodeMessage(message).lookups;
  } catch {
    // Not even a message.
  }
  for (const part of ['writable', 'readonly'] as const) {
    for (const lookup of lookups) {
      const table = tables.get(addressOf(lookup.table)) ?? emptyTable();
      tables.set(addressOf(lookup.table), table);
      lookup[part].forEach((index) => table.set(all.shift() ?? new Uint8Array(32), 56 + 32 * index));
    }
  }
  const account = (address: string) => {
    const data = tables.get(address);
    return data ? { owner: LOOKUP_TABLE_PROGRAM, lamports: 1n, data, executable: false } : null;
  };
  return { accounts: async (addresses: readonly string[]) => ({ slot: 1, accounts: addresses.map(account) }) };
}

function emptyTable(): Buffer {
  const table = Buffer.alloc(56 + 32 * 256);
  table.writeUInt32LE(1, 0);
  table.writeBigUInt64LE(2n ** 64n - 1n, 4);
  return table;
}

/** Offers the message of a case for what was asked. */
function offered(one: SwapCase, asked: AskedTrade, quoted: bigint): Promise<CheckedOffer> {
  const terms = {
    ...{ inputMint: asked.input.mint, outputMint: asked.output.mint, inAmount: asked.amount, outAmount: quoted },
    ...{ slippageBps: asked.slippageBps, taker: wallet },
    transaction: Buffer.from(assembleTransaction(one.message, [new Uint8Array(64)])).toString('base64'),
  };
  const order = orderResponse.parse(orderJson(terms, { feeBps: swapOf(one.intent).platformFeeBps }));
  return checkOffer(chainWith(one), { order, asked, limits });
}

describe('an honest offer', () => {
  it.each([...honest.values()].map((one) => [one.name, one] as const))(
    '%s gets the intent that it is',
    async (_, one) => {
      const { intent } = await offered(one, askedOf(one), swapOf(one.intent).quotedOutputAmount);
      const { maxNetworkLamports: max, ...wanted } = swapOf(one.intent);
      const { maxNetworkLamports, ...swap } = swapOf(intent);
      const minOutputAmount = minimumOutput(swap.quotedOutputAmount, swap.slippageBps);
      expect(swap).toEqual({ ...wanted, minOutputAmount, allowUnpricedOutput: false });
      expect(maxNetworkLamports).toBeLessThanOrEqual(max);
    },
  );

  it('gets an intent with the bounds of its request, which no bytes show', async () => {
    const [one] = [...honest.values()];
    const bounds = { maxPriceImpactBps: 1_250, allowUnpricedOutput: true };
    const { swap } = await offered(one!, { ...askedOf(one!), ...bounds }, swapOf(one!.intent).quotedOutputAmount);
    expect(swap).toMatchObject(bounds);
  });
});

describe('a forged offer', () => {
  // The signer's tests take all of them.
  const isTaken = (_: SwapCase, i: number) => i % 16 === 0;
  const forged = forgedSwaps(wallet)
    .filter(({ message, scenario }) => !Buffer.from(message).equals(Buffer.from(honest.get(scenario)!.message)))
    .filter(isTaken);

  it('is refused, or is at least as good as what was asked', async () => {
    let refused = 0;
    for (const one of forged) {
      const model = honest.get(one.scenario)!;
      const asked = askedOf(model);
      const quoted = swapOf(model.intent).quotedOutputAmount;
      const found = await offered({ ...one, intent: model.intent }, asked, quoted).catch((error: unknown) => error);
      if (found instanceof AppError && found.code === 'UNSAFE_TRANSACTION') {
        refused += 1;
        continue;
      }
      const { swap } = found as CheckedOffer;
      if (!swap) throw new Error(one.name, { cause: found });
      const least = minimumOutput(quoted, asked.slippageBps) - 1n;
      const isFine =
        swap.inputAmount === asked.amount &&
        swap.inputMint === asked.input.mint &&
        swap.outputMint === asked.output.mint &&
        swap.minOutputAmount >= least &&
        swap.slippageBps <= asked.slippageBps &&
        swap.platformFeeBps <= swapOf(model.intent).platformFeeBps &&
        swap.maxNetworkLamports <= limits.maxNetworkLamports;
      if (!isFine) throw new Error(`${one.name} was taken`);
    }
    expect(refused).toBeGreaterThanOrEqual(500);
    expect(forged.length - refused).toBeLessThan(forged.length / 10);
  });
});
