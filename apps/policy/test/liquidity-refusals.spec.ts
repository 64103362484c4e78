import type { policyV1 } from '@agent-wallet/contracts';
import { type intentV1 } from '@agent-wallet/contracts';
import { newId } from '@agent-wallet/kernel';
import { addressBytes, CPMM_PROGRAM, SYSTEM_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '@agent-wallet/solana';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { PolicyUnderTest } from './policy-under-test.js';
import { addIntent, newPool, removeIntent, type TestPool, vaultData } from './pools.js';
import { authorization, newWallet, SPONSOR } from './service.js';

const { address } = newWallet();
const U64 = 2n ** 64n - 1n;

let policy: PolicyUnderTest;
let pool: TestPool;

beforeAll(async () => {
  policy = await PolicyUnderTest.start();
});
afterAll(() => policy.stop());
beforeEach(async () => {
  await policy.newAgent();
  pool = newPool(policy.world);
});

/** A request for an intent, with the hash of the message of another: what makes no sense has no message. */
const requestOf = (intent: intentV1.Intent): policyV1.AuthorizeRequest => ({
  ...authorization(policy.agentId, addIntent(address, pool)).request,
  ...{ operationId: newId(), intent },
});

/** Refuses as the fault of its maker, asked for a permit and asked by a dry run, and counts nothing. */
async function expectInvalid(intent: intentV1.Intent, field: string): Promise<void> {
  const invalid = { code: 'VALIDATION_ERROR', details: [{ field }] };
  await expect(policy.swap.authorize(requestOf(intent))).rejects.toMatchObject(invalid);
  await expect(policy.swap.dryRunAuthorize({ agentId: policy.agentId, intent })).rejects.toMatchObject(invalid);
  expect(await policy.usage()).toEqual({ used: 0n, reserved: 0n });
}

/** Rewrites an account of the pool. */
function alter(account: string, { owner, write }: { owner?: string; write?: (data: Buffer) => void }): void {
  const before = policy.world.accounts.get(account)!;
  const data = Buffer.from(before.data);
  write?.(data);
  policy.world.accounts.set(account, { owner: owner ?? before.owner, data });
}

/** The bounds of both sides, each a unit beyond what may be asked. */
function boundsOf(value: intentV1.LiquidityAdd | intentV1.LiquidityRemove): Record<string, bigint> {
  if ('max0' in value) return { max0: value.max0 + 1n, max1: value.max1 + 1n };
  return { min0: value.min0 - 1n, min1: value.min1 - 1n };
}

/** Makes the pool name a richer account of the program's, at a free address. */
function nameVault(side: 0 | 1): void {
  const vault = newWallet().address;
  const { tokenProgram, reserve } = pool.sides[side];
  const data = vaultData({ ...pool.sides[side], reserve: reserve * 10n });
  policy.world.accounts.set(vault, { owner: tokenProgram, data });
  alter(pool.pool, { write: (account) => account.set(addressBytes(vault), 72 + 32 * side) });
}

/** Moves an account to another address. */
function move(from: string, to: string): void {
  policy.world.accounts.set(to, policy.world.accounts.get(from)!);
  policy.world.accounts.delete(from);
}

describe('an addition to', () => {
  const other = () => newPool(policy.world);
  const dataOf = (account: string) => Buffer.from(policy.world.accounts.get(account)!.data);

  it.each<[string, () => void]>([
    ['a pool that is not there', () => policy.world.accounts.delete(pool.pool)],
    ['a pool at a free address', () => move(pool.pool, newWallet().address)],
    ['a pool of a program that looks alike', () => alter(pool.pool, { owner: newWallet().address })],
    ['a wallet', () => alter(pool.pool, { owner: SYSTEM_PROGRAM })],
    [
      'a pool whose account is that of another',
      () => alter(pool.pool, { write: (data) => data.set(dataOf(other().pool)) }),
    ],
    ['a pool that names another config', () => alter(pool.pool, { write: (data) => data.fill(7, 8, 40) })],
    ['a pool that names another first vault', () => nameVault(0)],
    ['a pool that names another second vault', () => nameVault(1)],
    ['a pool that names another liquidity mint', () => alter(pool.pool, { write: (data) => data.fill(7, 136, 168) })],
    ['a pool that names other mints', () => alter(pool.pool, { write: (data) => data.fill(7, 168, 200) })],
    ['a pool of an unknown token program', () => alter(pool.pool, { write: (data) => data.fill(7, 232, 264) })],
    ['an account of another kind', () => alter(pool.pool, { write: (data) => data.fill(0, 0, 8) })],
    [
      'an account of another length',
      () => policy.world.accounts.set(pool.pool, { owner: CPMM_PROGRAM, data: dataOf(pool.pool).subarray(0, 636) }),
    ],
    ['a pool without a supply', () => alter(pool.pool, { write: (data) => data.fill(0, 333, 341) })],
    [
      'a pool with other decimals of liquidity tokens',
      () => alter(pool.pool, { write: (data) => data.fill(6, 330, 331) }),
    ],
    ['a pool whose config is not there', () => policy.world.accounts.delete(pool.config)],
    ['a pool whose config is of another program', () => alter(pool.config, { owner: newWallet().address })],
    ['a pool whose config is of another kind', () => alter(pool.config, { write: (data) => data.fill(0, 0, 8) })],
    ['a pool whose vault is not there', () => policy.world.accounts.delete(pool.vaults[1])],
    ['a pool whose vault is of no token program', () => alter(pool.vaults[0], { owner: newWallet().address })],
    [
      'a pool whose vault belongs to a wallet',
      () => alter(pool.vaults[1], { write: (data) => data.set(vaultData(pool.sides[1], address)) }),
    ],
    [
      'a pool whose vault holds the other token',
      () => alter(pool.vaults[0], { write: (data) => data.set(vaultData(pool.sides[1])) }),
    ],
    [
      'a pool whose vault holds nothing but fees',
      () => alter(pool.pool, { write: (data) => data.writeBigUInt64LE(pool.sides[0].reserve, 341) }),
    ],
    [
      'a pool whose vault holds less than the fees',
      () => alter(pool.pool, { write: (data) => data.writeBigUInt64LE(U64, 405) }),
    ],
  ])('%s is invalid', async (_, spoil) => {
    spoil();
    await expectInvalid(addIntent(address, pool), 'intent.liquidityAdd.pool');
  });

  it('a pool of another config is invalid, though there is one of its own', async () => {
    const foreign = newWallet().address;
    const { value } = addIntent(address, pool).action;
    const named = { ...value.pool!, config: foreign };
    await expectInvalid(addIntent(address, pool, { pool: named }), 'intent.liquidityAdd.pool');
    policy.world.accounts.set(foreign, policy.world.accounts.get(pool.config)!);
    await expectInvalid(addIntent(address, pool, { pool: named }), 'intent.liquidityAdd.pool');
  });

  it.each<[string, Partial<intentV1.LiquidityPool>]>([
    ['first token program', { tokenProgram0: TOKEN_2022_PROGRAM }],
    ['second token program', { tokenProgram1: TOKEN_2022_PROGRAM }],
    ['first decimals', { decimals0: 8 }],
    ['second decimals', { decimals1: 8 }],
  ])('a pool is invalid with another %s', async (_, change) => {
    const { value } = addIntent(address, pool).action;
    await expectInvalid(addIntent(address, pool, { pool: { ...value.pool!, ...change } }), 'intent.liquidityAdd.pool');
  });

  it('a pool is not decided on while the node does not answer', async () => {
    policy.world.nodeIsAway = true;
    const asked = policy.swap.dryRunAuthorize({ agentId: policy.agentId, intent: addIntent(address, pool) });
    await expect(asked.finally(() => (policy.world.nodeIsAway = false))).rejects.toMatchObject({
      code: 'UPSTREAM_ERROR',
    });
  });
});

describe.each(['liquidityAdd', 'liquidityRemove'] as const)('an intent of %s', ($case) => {
  /** An honest intent with other terms. */
  const intentWith = (change: object): intentV1.Intent =>
    $case === 'liquidityAdd' ? addIntent(address, pool, change) : removeIntent(address, pool, change);
  const honest = () => ($case === 'liquidityAdd' ? addIntent(address, pool) : removeIntent(address, pool)).action.value;

  it.each<[string, (pool: intentV1.LiquidityPool) => Partial<intentV1.LiquidityPool> | undefined]>([
    ['without a pool', () => undefined],
    ['with its mints reversed', ({ mint0, mint1 }) => ({ mint0: mint1, mint1: mint0 })],
    ['with one mint twice', ({ mint0 }) => ({ mint1: mint0 })],
    ['with a config that is not an address', () => ({ config: 'config' })],
    ['with a mint that is not an address', () => ({ mint0: 'mint' })],
    ['with an unknown token program', () => ({ tokenProgram1: SYSTEM_PROGRAM })],
    ['with decimals beyond a byte', () => ({ decimals0: 256 })],
  ])('%s is invalid', async (_, change) => {
    const named = honest().pool!;
    const other = change(named);
    await expectInvalid(intentWith({ pool: other && { ...named, ...other } }), `intent.${$case}`);
  });

  it('with wrapped SOL of Token-2022 is invalid', async () => {
    const withSol = { ...honest().pool!, mint0: 'So11111111111111111111111111111111111111112' };
    const later = { mint1: 'zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz', tokenProgram1: TOKEN_PROGRAM };
    await expectInvalid(
      intentWith({ pool: { ...withSol, ...later, tokenProgram0: TOKEN_2022_PROGRAM } }),
      `intent.${$case}`,
    );
  });

  it.each<[string, object]>([
    ['no liquidity', { liquidity: 0n, quoted0: 1n, quoted1: 1n }],
    ['no first quote', { quoted0: 0n }],
    ['no second quote', { quoted1: 0n }],
    ['a tolerance above a tenth', { slippageBps: 1_001 }],
  ])('of %s is invalid', async (_, change) => {
    const bounds = $case === 'liquidityAdd' ? { max0: 1n, max1: 1n } : { min0: 1n, min1: 1n };
    await expectInvalid(intentWith({ ...bounds, ...change }), `intent.${$case}`);
  });

  it.each([0, 1])('with a bound beyond what was quoted and the tolerance is invalid: side %i', async (side) => {
    const [name, bound] = Object.entries(boundsOf(honest()))[side]!;
    await expectInvalid(intentWith({ [name]: bound }), `intent.${$case}`);
  });

  it('with a sponsor is invalid', async () => {
    const intent = intentWith({});
    const sponsor = { sponsor: SPONSOR.address, maxNetworkFeeLamports: 10_000n };
    await expectInvalid({ ...intent, ...sponsor }, 'intent.sponsor');
    await expectInvalid({ ...intent, maxNetworkFeeLamports: 10_000n }, 'intent.maxNetworkFeeLamports');
  });

  it('is for the swap service alone to ask for', async () => {
    const intent = intentWith({});
    const refused = { code: 'CALLER_NOT_ALLOWED' };
    await expect(policy.wallet.authorize(requestOf(intent))).rejects.toMatchObject(refused);
    const dryRun = { agentId: policy.agentId, intent };
    await expect(policy.wallet.dryRunAuthorize(dryRun)).rejects.toMatchObject(refused);
    expect(await policy.usage()).toEqual({ used: 0n, reserved: 0n });
    expect(await policy.swap.dryRunAuthorize(dryRun)).toMatchObject({ allowed: true });
  });

  it('is step 1 of its operation', async () => {
    await expect(policy.swap.authorize({ ...requestOf(intentWith({})), step: 2 })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [{ field: 'step' }],
    });
  });
});
