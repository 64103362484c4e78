import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Keypair, PublicKey } from '@solana/web3.js';
import { MALICIOUS_KINDS, type MaliciousKind } from '../src/faults/fault-board.js';
import { decode, Integrator, JUP, MAKER, POOLS, signedBody, SOL, USDC } from './aggregator-client.js';
import { World } from './world.js';

const TO_JUP = { inputMint: USDC, outputMint: JUP, amount: 10_000_000 };
const TO_SOL = { inputMint: USDC, outputMint: SOL, amount: 10_000_000 };

interface TokenAccount {
  readonly mint: string;
  readonly raw: string;
  readonly owner: string;
  readonly delegate: string | null;
  readonly closeAuthority: string | null;
}

describe('malicious transactions', () => {
  let world: World;
  let wallet: Keypair;
  let v2: Integrator;

  beforeAll(async () => {
    world = await World.start();
    await world.admin('POST', '/prices', { freeze: true });
    v2 = new Integrator(world);
  });

  beforeEach(async () => {
    await world.admin('DELETE', '/faults');
    wallet = await world.funded(['SOL', 5], ['USDC', 1_000], ['BONK', 1_000_000]);
  });

  afterAll(() => world.stop());

  const arm = (kind: MaliciousKind, times = 1) =>
    world.arm('maliciousTransaction', { match: { kind }, times }, 'aggregator');

  const accounts = async (): Promise<TokenAccount[]> =>
    (await world.admin('GET', `/chain/accounts?owner=${wallet.publicKey.toBase58()}`)).body['accounts'] as never;

  /** What a trusting wallet loses besides the trade, as the number of attacks before and the trade say. */
  async function robbed(kind: MaliciousKind, skip: number, query: Record<string, string | number>): Promise<string> {
    await arm(kind, skip + 1);
    for (let i = 0; i < skip; i++) await v2.order(wallet.publicKey, query);
    const answer = await v2.trade(wallet, query);
    return `${answer.status} ${answer.code}`;
  }

  it.each(MALICIOUS_KINDS)(
    '%s: looks like an honest order from outside, and every attack differs from one',
    async (kind) => {
      for (const query of [TO_JUP, TO_SOL, { inputMint: SOL, outputMint: USDC, amount: 1_000_000_000 }]) {
        for (const routers of [POOLS, MAKER]) {
          const asked = { ...query, ...routers };
          const honest = await v2.order(wallet.publicKey, asked);
          await arm(kind, 3);
          for (let i = 0; i < 3; i++) {
            const evil = await v2.order(wallet.publicKey, asked);
            expect(evil.router).toBe(honest.router);
            expect(evil.inAmount).toBe(honest.inAmount);
            const difference = Number(evil.outAmount - honest.outAmount) / Number(honest.outAmount);
            expect(Math.abs(difference)).toBeLessThan(0.001);
            expect(shape(evil.transaction)).not.toEqual(shape(honest.transaction));
          }
          expect(shape((await v2.order(wallet.publicKey, asked)).transaction)).toEqual(shape(honest.transaction));
        }
      }
    },
  );

  it('extraTransfer takes SOL, other tokens, or what looks like a tip, beside the trade', async () => {
    const lamports = await world.raw(wallet.publicKey, 'SOL');
    expect(await robbed('extraTransfer', 0, { ...TO_JUP, ...POOLS })).toBe('Success 0');
    expect(lamports - (await world.raw(wallet.publicKey, 'SOL'))).toBeGreaterThan(2_000_000_000n);
    expect(await robbed('extraTransfer', 1, { ...TO_JUP, ...POOLS })).toBe('Success 0');
    expect(await world.raw(wallet.publicKey, 'BONK')).toBe(0n);
  });

  it('setAuthority gives the bought tokens, or the right to close their account, away', async () => {
    expect(await robbed('setAuthority', 0, { ...TO_JUP, ...POOLS })).toBe('Success 0');
    expect((await accounts()).map(({ mint }) => mint)).not.toContain(JUP);
    expect(await robbed('setAuthority', 1, { ...TO_SOL, ...POOLS })).toBe('Success 0');
    const usdc = (await accounts()).find(({ mint }) => mint === USDC)!;
    expect(usdc.closeAuthority).not.toBeNull();
  });

  it('approveDelegate lets a stranger spend', async () => {
    expect(await robbed('approveDelegate', 0, { ...TO_JUP, ...POOLS })).toBe('Success 0');
    expect((await accounts()).find(({ mint }) => mint === JUP)!.delegate).not.toBeNull();
    expect(await robbed('approveDelegate', 1, { ...TO_SOL, ...MAKER })).toBe('Success 0');
    expect((await accounts()).filter(({ delegate }) => delegate !== null)).toHaveLength(2);
  });

  it('swappedDestination unwraps bought SOL into another wallet', async () => {
    const lamports = await world.raw(wallet.publicKey, 'SOL');
    expect(await robbed('swappedDestination', 0, { ...TO_SOL, ...POOLS })).toBe('Success 0');
    expect(await world.raw(wallet.publicKey, 'SOL')).toBeLessThan(lamports);
    expect(await world.raw(wallet.publicKey, 'USDC')).toBe(990_000_000n);
  });

  it.each([0, 1])('swappedDestination names a stranger’s token account, way %i', async (skip) => {
    // The programs of this world pay only the taker.
    expect(await robbed('swappedDestination', skip, { ...TO_JUP, ...POOLS })).toBe('Failed 6021');
    expect(await world.raw(wallet.publicKey, 'USDC')).toBe(1_000_000_000n);
  });

  it('unknownLookupTable hides accounts behind a table that is missing, or says other things', async () => {
    await arm('unknownLookupTable', 2);
    const [missing, other] = [
      await v2.order(wallet.publicKey, { ...TO_JUP, ...POOLS }),
      await v2.order(wallet.publicKey, { ...TO_JUP, ...POOLS }),
    ];
    const tables = [missing, other].map(({ transaction }) => decode(transaction).message.addressTableLookups);
    expect(tables.map(({ length }) => length)).toEqual([1, 1]);
    const found = await world.connection.getMultipleAccountsInfo(tables.map(([lookup]) => lookup!.accountKey));
    expect(found[0]).toBeNull();
    expect(found[1]!.owner).toEqual(new PublicKey('AddressLookupTab1e1111111111111111111111111'));
    for (const order of [missing, other]) {
      expect(await v2.execute(signedBody(order, wallet))).toMatchObject({ status: 'Failed' });
    }
    expect(await world.raw(wallet.publicKey, 'USDC')).toBe(1_000_000_000n);
  });

  it.each([POOLS, MAKER])('higherInput takes half as much again for the same: %j', async (routers) => {
    expect(await robbed('higherInput', 0, { ...TO_JUP, ...routers })).toBe('Success 0');
    expect(await world.raw(wallet.publicKey, 'USDC')).toBe(1_000_000_000n - 15_000_001n);
  });

  it('affect only the order that is named', async () => {
    const other = await world.funded(['SOL', 1], ['USDC', 100]);
    const match = { kind: 'extraTransfer', address: other.publicKey.toBase58() };
    await world.arm('maliciousTransaction', { match }, 'aggregator');
    const honest = shape((await v2.order(wallet.publicKey, { ...TO_JUP, ...POOLS })).transaction);
    expect(shape((await v2.order(other.publicKey, { ...TO_JUP, ...POOLS })).transaction)).not.toEqual(honest);
  });

  /** A transaction without what differs from order to order: programs, data lengths and accounts by their place. */
  function shape(transaction: string): unknown {
    const { message } = decode(transaction);
    const key = (index: number): string => message.staticAccountKeys[index]?.toBase58() ?? `table ${index}`;
    return {
      tables: message.addressTableLookups.map(({ accountKey }) => accountKey.toBase58()),
      instructions: message.compiledInstructions.map(({ programIdIndex, accountKeyIndexes, data }) => ({
        program: key(programIdIndex),
        accounts: accountKeyIndexes.map(key),
        length: data.length,
        amount: data.length > 24 ? Buffer.from(data).readBigUInt64LE(8) : undefined,
      })),
    };
  }
});
