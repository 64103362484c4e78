import { newAddress } from '@agent-wallet/solana/corpus';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { readSwapMessage } from '@agent-wallet/jupiter';
import { honestSwaps } from '@agent-wallet/jupiter/corpus';
import type { ChainAccount, Simulation } from '@agent-wallet/solana';
import type { CheckedOffer } from '../src/application/check-offer.js';
import { ownAccountsOf } from '../src/application/own-accounts.js';
import { simulateOffer } from '../src/application/simulate-offer.js';
import { tokenAccount, walletAccount } from './chain-accounts.js';

const RICH = 1_000_000_000n;
const wallet = newAddress();
const one = honestSwaps(wallet).find(({ intent: { action } }) => {
  if (action?.$case !== 'swap') return false;
  const { inputMint, outputMint, cosigner } = action.value;
  return ![inputMint, outputMint].some((mint) => mint.startsWith('So1111')) && cosigner === undefined;
})!;
const swap = one.intent.action?.$case === 'swap' ? one.intent.action.value : undefined!;
const { message, resolvedAddresses, intent } = one;
const offer: CheckedOffer = { message, resolvedAddresses, intent, swap, routeInstruction: 3 };
const asked = {
  wallet,
  input: { mint: swap.inputMint, symbol: 'A', decimals: 6, tokenProgram: swap.inputTokenProgram },
  output: { mint: swap.outputMint, symbol: 'B', decimals: 6, tokenProgram: swap.outputTokenProgram },
  ...{ amount: swap.inputAmount, slippageBps: swap.slippageBps, allowUnpricedOutput: false },
};
const own = ownAccountsOf(asked);

/** A node whose accounts and simulations a test sets; each read may see others. */
class Node {
  looks: Array<Map<string, ChainAccount>> = [new Map()];
  simulated = new Map<string, ChainAccount>();
  error: string | null = null;
  readSlot = 5;
  simulatedSlot = 5;

  async accounts(addresses: readonly string[]) {
    const seen = this.looks.length > 1 ? this.looks.shift()! : this.looks[0]!;
    return { slot: this.readSlot, accounts: addresses.map((address) => seen.get(address) ?? null) };
  }

  async simulate(_: Uint8Array, { accounts }: { readonly accounts: readonly string[] }): Promise<Simulation> {
    const after = this.error === null ? accounts.map((address) => this.simulated.get(address) ?? null) : [];
    return { slot: this.simulatedSlot, error: this.error, logs: [], unitsConsumed: 1, accounts: after };
  }
}

const holding = (lamports: bigint, input: bigint, output: bigint) =>
  new Map<string, ChainAccount>([
    [own.wallet, walletAccount(lamports)],
    [own.input, tokenAccount({ owner: wallet, mint: swap.inputMint, amount: input })],
    [own.output, tokenAccount({ owner: wallet, mint: swap.outputMint, amount: output })],
  ]);

let node: Node;

beforeEach(() => {
  node = new Node();
  node.looks = [holding(RICH, swap.inputAmount + 5n, 0n)];
  node.simulated = holding(RICH - swap.maxNetworkLamports, 5n, swap.minOutputAmount);
});

const simulate = () => simulateOffer(node, { offer, asked }, 1);

describe('a simulated offer', () => {
  it('that does what was asked is fine', async () => {
    await expect(simulate()).resolves.toBe(5);
  });

  it.each([
    ['{"InstructionError":[3,{"Custom":6001}]}', 'SLIPPAGE_EXCEEDED'],
    ['{"InstructionError":[2,{"Custom":6001}]}', 'UPSTREAM_ERROR'],
    ['"BlockhashNotFound"', 'UPSTREAM_ERROR'],
  ])('that fails with %s is %s', async (error, code) => {
    node.error = error;
    await expect(simulate()).rejects.toMatchObject({ code });
  });

  it('that takes one unit more is refused', async () => {
    node.simulated = holding(RICH - swap.maxNetworkLamports, 4n, swap.minOutputAmount);
    await expect(simulate()).rejects.toMatchObject({ code: 'UNSAFE_TRANSACTION' });
  });

  it('that could write to another token account of the wallet is refused', async () => {
    const { writable } = readSwapMessage(message, resolvedAddresses);
    const other = [...writable].find((address) => !Object.values(own).includes(address))!;
    node.looks[0]!.set(other, tokenAccount({ owner: wallet, mint: newAddress(), amount: 1n }));
    await expect(simulate()).rejects.toMatchObject({ code: 'UNSAFE_TRANSACTION' });
    node.looks[0]!.set(other, tokenAccount({ owner: newAddress(), mint: newAddress(), amount: 1n }));
    await expect(simulate()).resolves.toBe(5);
  });

  it('is looked at again when something else changed the wallet meanwhile', async () => {
    const changed = holding(RICH, swap.inputAmount + 4n, 0n);
    node.looks = [holding(RICH, swap.inputAmount + 5n, 0n), changed, changed];
    node.simulated = holding(RICH - swap.maxNetworkLamports, 4n, swap.minOutputAmount);
    await expect(simulate()).resolves.toBe(5);
  });

  it('of a node that lags proves nothing', async () => {
    node.simulated = holding(RICH - swap.maxNetworkLamports, 4n, swap.minOutputAmount);
    node.simulatedSlot = 4;
    await expect(simulate()).rejects.toMatchObject({ code: 'UPSTREAM_ERROR' });
  });
});
