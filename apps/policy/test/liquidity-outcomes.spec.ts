import { type intentV1, policyV1 } from '@agent-wallet/contracts';
import { signatureText } from '@agent-wallet/solana';
import { eventually } from '@agent-wallet/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { factsDuring } from './facts.js';
import { NOTHING, passBound, permittedIntent, settle } from './permitted-transfer.js';
import { PolicyUnderTest } from './policy-under-test.js';
import type { FakeHolding } from './policy-peers.js';
import { addIntent, newPool, removeIntent, taking, type TestPool } from './pools.js';
import { newWallet, transferIntent } from './service.js';

const { OUTCOME_OPEN, OUTCOME_SETTLED, OUTCOME_FAILED, OUTCOME_EXPIRED } = policyV1.Outcome;
/** At most 10.05 dollars of each side. */
const MAX = 10_050_000n;
const RESERVED = { used: 0n, reserved: 2n * MAX };
/** All that was reserved, settled. */
const IN_FULL = { used: 2n * MAX, reserved: 0n };
const TEN = 10_000_000n;

let policy: PolicyUnderTest;
let pool: TestPool;

beforeAll(async () => {
  policy = await PolicyUnderTest.start();
  pool = newPool(policy.world);
});
afterAll(() => policy.stop());
beforeEach(async () => {
  policy.world.hidden.clear();
  await policy.newAgent();
});

/** A permitted addition of at most 20.10 dollars. */
async function permittedAddition(change: Partial<intentV1.LiquidityAdd> = {}) {
  const own = newWallet();
  const intent = addIntent(own.address, pool, change);
  return { ...(await permittedIntent(policy, intent, own)), add: intent.action.value };
}

type Addition = Awaited<ReturnType<typeof permittedAddition>>;

/** The vaults before and after so much came in. */
function received(arrived: readonly [bigint, bigint], { vaults, sides } = pool): FakeHolding[] {
  return vaults.map((account, i) => {
    const before = sides[i]!.reserve;
    return { account, before, after: before + arrived[i]! };
  });
}

/** Ten dollars of each side. */
const quoted = ({ add }: Addition): [bigint, bigint] => [add.quoted0, add.quoted1];

/** The database's time at which it was permitted moves back. */
const permittedAgo = (age: string, { shown }: Addition) =>
  policy.database.rows(
    'update reservations set created_at = created_at - $2::interval where operation_id = $1',
    shown.operationId,
    age,
  );

describe('an addition that landed', () => {
  it.each(['confirmed', 'finalized'] as const)('counts what arrived in the vaults once %s', async (commitment) => {
    const addition = await permittedAddition();
    expect(await settle(policy, addition.shown)).toBe(OUTCOME_OPEN);
    expect(await policy.usage()).toEqual(RESERVED);
    policy.world.land(addition.message, addition.signature, { commitment, holdings: received(quoted(addition)) });
    expect(await settle(policy, addition.shown)).toBe(OUTCOME_SETTLED);
    expect(await policy.usage()).toEqual({ used: 2n * TEN, reserved: 0n });
  });

  it('counts each side rounded up', async () => {
    const addition = await permittedAddition();
    const [first, second] = quoted(addition);
    const holdings = received([first - 1n, second - 1n]);
    policy.world.land(addition.message, addition.signature, { holdings });
    await settle(policy, addition.shown);
    // A unit of the token of nine decimals is worth less than a micro-dollar; one of the other is half of one.
    expect(await policy.usage()).toEqual({ used: 2n * TEN, reserved: 0n });
  });

  it('counts a micro-dollar of each side where a unit arrived', async () => {
    const addition = await permittedAddition();
    policy.world.land(addition.message, addition.signature, { holdings: received([1n, 1n]) });
    await settle(policy, addition.shown);
    expect(await policy.usage()).toEqual({ used: 2n, reserved: 0n });
  });

  it('counts by the prices of its permit', async () => {
    const mint = pool.sides.find(({ decimals }) => decimals === 9)!.mint;
    const addition = await permittedAddition();
    policy.world.prices.set(mint, { usd: '3', decimals: 9 });
    policy.outliveReadings();
    policy.world.land(addition.message, addition.signature, { holdings: received(quoted(addition)) });
    await settle(policy, addition.shown);
    expect(await policy.usage()).toEqual({ used: 2n * TEN, reserved: 0n });
    policy.world.prices.set(mint, { usd: '4', decimals: 9 });
    policy.outliveReadings();
  });

  it('leaves room for what did not leave', async () => {
    await policy.change({
      dailyLimitUsdMicros: 2n * TEN + 1_000_000n,
      maxSingleTransactionUsdMicros: 2n * TEN + 1_000_000n,
    });
    const addition = await permittedAddition();
    const dollar = () => policy.reservedFor(transferIntent(newWallet().address));
    await expect(dollar()).rejects.toMatchObject({ data: { rule: 'daily_limit', remainingUsdMicros: '900000' } });
    policy.world.land(addition.message, addition.signature, { holdings: received(quoted(addition)) });
    await settle(policy, addition.shown);
    expect(await dollar()).toBe(1_000_000n);
  });

  it('is counted once however often and by however many it is settled', async () => {
    const addition = await permittedAddition();
    policy.world.land(addition.message, addition.signature, { holdings: received(quoted(addition)) });
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => settle(policy, addition.shown)));
    expect(new Set(outcomes)).toEqual(new Set([OUTCOME_SETTLED]));
    expect(await settle(policy, addition.shown)).toBe(OUTCOME_SETTLED);
    expect(await policy.usage()).toEqual({ used: 2n * TEN, reserved: 0n });
  });

  it('publishes the value that counts, once', async () => {
    const addition = await permittedAddition();
    policy.world.land(addition.message, addition.signature, { holdings: received(quoted(addition)) });
    const facts = await factsDuring(policy.database, policy.agentId, async () => {
      for (let n = 0; n < 2; n += 1) await settle(policy, addition.shown);
    });
    const { operationId } = addition.shown;
    expect(facts).toMatchObject([
      { $case: 'reservationSettled', value: { operationId, step: 1, attempt: 1, valueUsdMicros: 2n * TEN } },
    ]);
  });

  it('gives no further permit, and no further attempt', async () => {
    const addition = await permittedAddition();
    policy.world.land(addition.message, addition.signature, { holdings: received(quoted(addition)) });
    await settle(policy, addition.shown);
    const reasons = ['attempt_is_over', 'prior_attempt_may_land'];
    for (const [n, reason] of reasons.entries()) {
      await expect(policy.swap.authorize({ ...addition.request, attempt: n + 1 })).rejects.toMatchObject({
        ...{ code: 'PERMIT_CONFLICT', data: { reason } },
      });
    }
  });
});

describe('a node that lies about an addition', () => {
  it.each<[string, (addition: Addition) => FakeHolding[], bigint]>([
    ['nothing arrived', () => received([0n, 0n]), 2n * MAX],
    ['no vault had anything', () => [], 2n * MAX],
    ['more arrived than may leave', ({ add }) => received([add.max0 + 1n, add.max1 * 1_000n]), 2n * MAX],
    ['exactly what may leave arrived', ({ add }) => received([add.max0, add.max1]), 2n * MAX],
    ['the vaults lost something', () => received([-1_000n, -1_000n]), 2n * MAX],
    ['one vault got nothing', ({ add }) => received([add.quoted0, 0n]), TEN + MAX],
    ['one vault got three times the most', ({ add }) => received([add.max0 * 3n, add.quoted1]), MAX + TEN],
    ['the other vault is not among the balances', ({ add }) => received([0n, add.quoted1]).slice(1), MAX + TEN],
  ])('counts it in full, where it shows that %s', async (_, holdings, counted) => {
    const addition = await permittedAddition();
    policy.world.land(addition.message, addition.signature, { holdings: holdings(addition) });
    expect(await settle(policy, addition.shown)).toBe(OUTCOME_SETTLED);
    expect(await policy.usage()).toEqual({ used: counted, reserved: 0n });
  });

  it('cannot raise the value that is published either', async () => {
    const addition = await permittedAddition();
    const { max0, quoted1 } = addition.add;
    policy.world.land(addition.message, addition.signature, { holdings: received([max0 * 3n, quoted1]) });
    const facts = await factsDuring(policy.database, policy.agentId, () => settle(policy, addition.shown));
    expect(facts).toMatchObject([{ $case: 'reservationSettled', value: { valueUsdMicros: MAX + TEN } }]);
  });

  it('does not get past it by balances of the wallet', async () => {
    const addition = await permittedAddition();
    const holdings = [{ account: addition.request.intent!.wallet, before: 10n, after: 11n }];
    policy.world.land(addition.message, addition.signature, { holdings });
    await settle(policy, addition.shown);
    expect(await policy.usage()).toEqual(IN_FULL);
  });
});

describe('a node that does not show the transaction', () => {
  /** Permits an addition whose landing the node reports, but not its transaction. */
  async function unseen() {
    const addition = await permittedAddition();
    policy.world.hidden.add(signatureText(addition.signature));
    policy.world.land(addition.message, addition.signature, { holdings: received(quoted(addition)) });
    return addition;
  }

  it('keeps it open until it does', async () => {
    const addition = await unseen();
    await permittedAgo('9 minutes 30 seconds', addition);
    expect(await settle(policy, addition.shown)).toBe(OUTCOME_OPEN);
    expect(await policy.usage()).toEqual(RESERVED);
    policy.world.hidden.clear();
    expect(await settle(policy, addition.shown)).toBe(OUTCOME_SETTLED);
    expect(await policy.usage()).toEqual({ used: 2n * TEN, reserved: 0n });
  });

  it('has it counted in full after ten minutes', async () => {
    const addition = await unseen();
    expect(await settle(policy, addition.shown)).toBe(OUTCOME_OPEN);
    await permittedAgo('10 minutes', addition);
    expect(await settle(policy, addition.shown)).toBe(OUTCOME_SETTLED);
    expect(await policy.usage()).toEqual(IN_FULL);
  });

  it('does not release it, and policy settles it by itself later', async () => {
    const addition = await unseen();
    expect(await settle(policy, addition.shown)).toBe(OUTCOME_OPEN);
    passBound(policy.world);
    expect(await settle(policy, addition.shown)).toBe(OUTCOME_OPEN);
    policy.world.hidden.clear();
    await policy.database.shiftClock('11 seconds');
    await eventually(async () => (await policy.usage()).reserved === 0n);
    expect(await policy.usage()).toEqual({ used: 2n * TEN, reserved: 0n });
  });
});

describe('an addition that did not land', () => {
  it('is released once its failure is final', async () => {
    const { message, signature, shown } = await permittedAddition();
    policy.world.land(message, signature, { commitment: 'confirmed', failed: true });
    expect(await settle(policy, shown)).toBe(OUTCOME_OPEN);
    expect(await policy.usage()).toEqual(RESERVED);
    policy.world.land(message, signature, { failed: true });
    expect(await settle(policy, shown)).toBe(OUTCOME_FAILED);
    expect(await policy.usage()).toEqual(NOTHING);
  });

  it('is released once it is proven that it never will, and may be tried again', async () => {
    const { request, shown } = await permittedAddition();
    passBound(policy.world);
    await eventually(async () => (await settle(policy, shown)) === OUTCOME_EXPIRED);
    expect(await policy.usage()).toEqual(NOTHING);
    expect(await policy.swap.authorize({ ...request, attempt: 2 })).toMatchObject({ reservedUsdMicros: 2n * MAX });
  });
});

describe('an addition without a known signature', () => {
  it('is found among what the wallet has landed, and counts what arrived', async () => {
    const addition = await permittedAddition();
    expect(await settle(policy, addition.unsigned)).toBe(OUTCOME_OPEN);
    policy.world.land(addition.message, addition.signature, { holdings: received(quoted(addition)) });
    passBound(policy.world);
    await eventually(async () => (await settle(policy, addition.unsigned)) === OUTCOME_SETTLED);
    expect(await policy.usage()).toEqual({ used: 2n * TEN, reserved: 0n });
  });

  it('is released when it failed, or is not among them', async () => {
    const [failed, absent] = [await permittedAddition(), await permittedAddition()];
    policy.world.land(failed.message, failed.signature, { failed: true });
    passBound(policy.world);
    await eventually(async () => (await settle(policy, failed.unsigned)) === OUTCOME_FAILED);
    await eventually(async () => (await settle(policy, absent.unsigned)) === OUTCOME_EXPIRED);
    expect(await policy.usage()).toEqual(NOTHING);
  });
});

describe('a removal that landed', () => {
  it('counts nothing, and shows nothing to be read', async () => {
    const own = newWallet();
    const { message, signature, shown } = await permittedIntent(policy, removeIntent(own.address, pool), own);
    policy.world.hidden.add(signatureText(signature));
    policy.world.land(message, signature);
    expect(await settle(policy, shown)).toBe(OUTCOME_SETTLED);
    expect(await policy.usage()).toEqual(NOTHING);
  });
});

describe('an addition of odd amounts', () => {
  it.each([
    // At 4 dollars with nine decimals and half a dollar with six: 33.333332 and 33.3333335 dollars at most.
    [
      [8_333_333_000n, 66_666_667n],
      [8_333_332_999n, 66_666_666n],
    ],
    [
      [3n, 3n],
      [2n, 2n],
    ],
    [
      [8_333_333_333n, 7n],
      [1n, 6n],
    ],
  ] as Array<[[bigint, bigint], [bigint, bigint]]>)(
    'never counts less than what left: %p of %p',
    async (max, arrived) => {
      const isNine = pool.sides[0].decimals === 9;
      const [max0, max1] = isNine ? max : [max[1], max[0]];
      const addition = await permittedAddition({ liquidity: 100_000_000n, ...taking(max0, max1) });
      policy.world.land(addition.message, addition.signature, {
        holdings: received(isNine ? arrived : [arrived[1], arrived[0]]),
      });
      const { reserved } = await policy.usage();
      await settle(policy, addition.shown);
      const { used } = await policy.usage();
      // Of nine decimals a unit is 0.004 micro-dollars, of six half of one.
      const left = (arrived[0] * 4n + 999n) / 1_000n + (arrived[1] + 1n) / 2n;
      expect(used).toBeGreaterThanOrEqual(left);
      expect(used).toBeLessThanOrEqual(reserved);
      expect(used - left).toBeLessThanOrEqual(1n);
    },
  );
});
