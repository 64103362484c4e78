import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type OrderResponse,
  readRoute,
  resolvedAddressesHash,
  resolveLookups,
  UnresolvedLookups,
} from '@agent-wallet/jupiter';
import { checkSwapMessage } from '@agent-wallet/jupiter/checks';
import { MessageRefused } from '@agent-wallet/solana/checks';
import type { Keypair } from '@solana/web3.js';
import { MALICIOUS_KINDS } from '../src/faults/fault-board.js';
import {
  BONK,
  decode,
  Integrator,
  JUP,
  MAKER,
  POOLS,
  type SignableOrder,
  SOL,
  USDC,
  USDT,
} from './aggregator-client.js';
import { World } from './world.js';

type Intent = Parameters<typeof checkSwapMessage>[1];

const LIMITS = { maxNetworkFeeLamports: 100_000n };

const TRADES = [
  { inputMint: USDC, outputMint: JUP, amount: 10_000_000 },
  { inputMint: SOL, outputMint: USDC, amount: 1_000_000_000 },
  { inputMint: USDC, outputMint: SOL, amount: 10_000_000 },
  { inputMint: USDT, outputMint: BONK, amount: 10_000_000 },
  { inputMint: BONK, outputMint: JUP, amount: 10_000_000_000 },
];

const LARGE = { inputMint: USDC, outputMint: SOL, amount: 2_000_000_000_000, slippageBps: 100 };

/** The product's signer decides by decoding alone: what it makes of this aggregator's orders. */
describe('orders before the check that guards the keys', () => {
  let world: World;
  let wallet: Keypair;
  let v2: Integrator;

  beforeAll(async () => {
    world = await World.start();
    v2 = new Integrator(world);
    wallet = await world.funded(['SOL', 5], ['USDC', 3_000_000], ['USDT', 1_000], ['BONK', 1_000_000]);
  });

  afterAll(() => world.stop());

  it.each([...TRADES, LARGE])('lets an honest order pass, of pools and of the maker: %j', async (query) => {
    for (const routers of [POOLS, MAKER]) {
      const order = await v2.order(wallet.publicKey, { ...query, ...routers });
      const { bytes, resolved, intent } = await read(order, order);
      expect(() => checkSwapMessage(bytes, intent, resolved, LIMITS)).not.toThrow();
    }
  });

  it.each(MALICIOUS_KINDS)('refuses every attack: %s', async (kind) => {
    for (const query of [...TRADES.slice(0, 3), LARGE]) {
      for (const routers of [POOLS, MAKER]) {
        const asked = { ...query, ...routers };
        const honest = await v2.order(wallet.publicKey, asked);
        await world.arm('maliciousTransaction', { match: { kind }, times: 3 }, 'aggregator');
        for (let way = 0; way < 3; way++) {
          const evil = await v2.order(wallet.publicKey, asked);
          expect(await refusalOf(evil, honest)).toMatch(/^(MessageRefused|UnresolvedLookups)$/);
        }
        await world.admin('DELETE', '/faults');
      }
    }
  });

  /** What an order is as the product sees it: the message, its tables from the chain, and the intent of the request. */
  async function read(order: SignableOrder, honest: OrderResponse) {
    const { message } = decode(order.transaction);
    const bytes = Buffer.from(message.serialize());
    const keys = message.addressTableLookups.map(({ accountKey }) => accountKey);
    const found = keys.length === 0 ? [] : await world.connection.getMultipleAccountsInfo(keys);
    const tables = new Map(found.flatMap((account, i) => (account ? [[keys[i]!.toBase58(), account.data]] : [])));
    const resolved = resolveLookups(bytes, tables);
    return { bytes, resolved, intent: intentOf(readRoute(bytes, resolved), resolved, honest) };
  }

  /** The name of what is thrown at an order. */
  async function refusalOf(order: SignableOrder, honest: OrderResponse): Promise<string> {
    try {
      const { bytes, resolved, intent } = await read(order, honest);
      checkSwapMessage(bytes, intent, resolved, LIMITS);
      return 'nothing';
    } catch (error) {
      if (error instanceof MessageRefused) return 'MessageRefused';
      return error instanceof UnresolvedLookups ? 'UnresolvedLookups' : String(error);
    }
  }

  /** Amount and tokens are the request's; quote and slippage are read from the route itself. */
  function intentOf(
    facts: ReturnType<typeof readRoute>,
    resolved: readonly Uint8Array[],
    { inAmount, inputMint, outputMint }: OrderResponse,
  ): Intent {
    const { quotedOutputAmount, slippageBps, platformFeeBps, cosigner } = facts;
    const value = {
      inputMint,
      inputTokenProgram: facts.inputTokenProgram,
      inputDecimals: 6,
      inputAmount: inAmount,
      outputMint,
      outputTokenProgram: facts.outputTokenProgram,
      quotedOutputAmount,
      minOutputAmount: (quotedOutputAmount * BigInt(10_000 - slippageBps)) / 10_000n,
      slippageBps,
      platformFeeBps,
      maxNetworkLamports: 100_000n,
      resolvedAddressesHash: resolvedAddressesHash(resolved),
      cosigner,
      allowUnpricedOutput: false,
    };
    return { wallet: wallet.publicKey.toBase58(), action: { $case: 'swap', value } };
  }
});
