import type { policyV1 } from '@agent-wallet/contracts';
import { isRecovering, newId } from '@agent-wallet/kernel';
import type { RpcClient } from '@agent-wallet/platform';
import { eventually } from '@agent-wallet/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FINALITY_BLOCKS, LIFE_BLOCKS, NOTHING, permitted, SPENT } from './permitted-transfer.js';
import { PolicyUnderTest } from './policy-under-test.js';
import { authorization, escrowIntent, newWallet, type TestWallet, TREASURY, transferIntent } from './service.js';

const DOLLAR = 1_000_000n;
const NOTE = { operator: 'ann', reason: 'a test' };

type RecoveryStore = RpcClient<policyV1.RecoveryServiceService>;

let policy: PolicyUnderTest;
let wallets: RecoveryStore;
let operators: RecoveryStore;
let own: TestWallet;

beforeEach(async () => {
  policy = await PolicyUnderTest.start();
  await policy.newAgent();
  own = newWallet();
  await connect();
  // A head that was noted before what is forgotten.
  await eventually(async () => (await policy.database.rows('select from chain_heads')).length > 0);
});
afterEach(() => policy.stop());

async function connect(): Promise<void> {
  [wallets, operators] = await Promise.all([policy.service.recoveriesAs('wallet'), policy.service.recoveriesAs('ops')]);
}

/** As a copy is, or a server that has taken over. */
async function putBack(): Promise<void> {
  await policy.database.rows("update database_identity set identity = 'of another life'");
}

const status = () => operators.getRecovery({});

async function begun(): Promise<number> {
  await eventually(async () => (await status()).blocksRemaining !== undefined);
  return (await status()).recoveryId;
}

async function tell(recoveryId: number, ...named: Array<readonly [string, TestWallet]>): Promise<void> {
  const all = named.map(([agentId, { address }]) => ({ agentId, address }));
  await wallets.reportWallets({ recoveryId, wallets: all, isLastPage: true });
}

/** Lets all blocks pass in which something of before could land, but so many. */
function passBlocks(but = 0): void {
  policy.world.advance(LIFE_BLOCKS + FINALITY_BLOCKS + 1 - but);
}

async function recover(...named: Array<readonly [string, TestWallet]>): Promise<void> {
  await tell(await begun(), ...named);
  passBlocks();
  await eventually(async () => !(await status()).inProgress);
}

/** Any signed message of the wallet that this database has not permitted. */
function forgottenMessage(wallet = own) {
  const { message } = authorization(newId(), transferIntent(wallet.address));
  return [message, wallet.sign(message)] as const;
}

/** Lands a payment that this database has not permitted. */
function landForgotten(wallet = own, to = newWallet().address, amount = DOLLAR): string {
  policy.world.land(...forgottenMessage(wallet), { paid: { from: wallet.address, to, amount } });
  return to;
}

const ask = (intent = transferIntent(own.address), agentId = policy.agentId) =>
  policy.wallet.authorize(authorization(agentId, intent).request);
const refusal = (asked: Promise<unknown>) => asked.then(() => undefined).catch((error: unknown) => error);

describe('a restored database', () => {
  it('lets nothing be permitted, until what was permitted before can no longer land; reads go on', async () => {
    await putBack();
    expect(isRecovering(await refusal(ask()))).toBe(true);
    await tell(await begun(), [policy.agentId, own]);
    passBlocks(1);
    await eventually(async () => (await status()).blocksRemaining === 1n);
    expect(isRecovering(await refusal(ask()))).toBe(true);
    expect(await policy.usage()).toEqual(NOTHING);
    policy.world.advance(1);
    await eventually(async () => !(await status()).inProgress);
    expect((await ask()).permit).toBeDefined();
  });

  it('counts what landed at the last possible block, and freezes its agent alone', async () => {
    await putBack();
    await tell(await begun(), [policy.agentId, own]);
    passBlocks(1);
    // Its block is finalized with the next one.
    policy.world.advance(-FINALITY_BLOCKS);
    landForgotten();
    policy.world.advance(FINALITY_BLOCKS + 1);
    await eventually(async () => !(await status()).inProgress);
    expect(await policy.usage()).toEqual(SPENT);
    expect(await refusal(ask())).toMatchObject({ code: 'POLICY_VIOLATION', data: { rule: 'frozen' } });
    const { transactions } = await operators.listRecovered({});
    expect(transactions).toMatchObject([{ agentId: policy.agentId, valueUsdMicros: DOLLAR, frozen: true }]);
    expect((await status()).frozenAgentIds).toEqual([policy.agentId]);
    await policy.database.rows(
      `with agents as (select gen_random_uuid() as id, n from generate_series(1, 1000) n),
         found as (insert into recovered_transactions (signature, recovery_id, agent_id, message_hash, slot, value_usd_micros)
           select 'many-' || n, (select max(id) from recoveries), id, '', 1, 0 from agents)
       insert into freezes (agent_id, operator, reason, since) select id, 'op', 'many', now() from agents`,
    );
    expect((await status()).frozenAgentIds).toHaveLength(1_000);
    await policy.database.rows(`delete from freezes where reason = 'many'`);
    await policy.newAgent();
    expect((await ask()).permit).toBeDefined();
  });

  it.each([
    ['its block time and two minutes', -600, 480],
    ['now where the block time is newer than that', -100, 0],
    ['now where the block time is in milliseconds', Date.now(), 0],
  ])('counts from %s', async (_, blockTimeOffset, secondsAgo) => {
    const blockTime = Math.floor(Date.now() / 1_000) + blockTimeOffset;
    policy.world.land(...forgottenMessage(), {
      ...{ blockTime, paid: { from: own.address, to: newWallet().address, amount: DOLLAR } },
    });
    await putBack();
    await recover([policy.agentId, own]);
    expect(await policy.usage()).toEqual(SPENT);
    const [row] = await policy.database.rows<{ age: number }>(
      'select extract(epoch from policy.now() - settled_at)::float as age from reservations where agent_id = $1',
      policy.agentId,
    );
    expect(Math.abs(row!.age - secondsAgo)).toBeLessThan(60);
  });

  it('holds the daily limit against what it has forgotten, once it is unfrozen', async () => {
    await policy.change({ dailyLimitUsdMicros: 2n * DOLLAR });
    landForgotten();
    await putBack();
    await recover([policy.agentId, own]);
    const frozen = await policy.service.as('ops');
    await frozen.setFreeze({ agentId: policy.agentId, frozen: false, ...NOTE });
    expect((await status()).frozenAgentIds).toEqual([]);
    expect((await ask()).reservedUsdMicros).toBe(DOLLAR);
    expect(await refusal(ask())).toMatchObject({ code: 'POLICY_VIOLATION', data: { rule: 'daily_limit' } });
  });

  it('knows what it knows: a permitted transfer is not counted twice, and its agent is free', async () => {
    const { message, signature, own: known } = await permitted(policy);
    policy.world.land(message, signature, {
      paid: { from: known.address, to: newWallet().address, amount: DOLLAR },
    });
    await putBack();
    await recover([policy.agentId, known]);
    expect((await operators.listRecovered({})).transactions).toEqual([]);
    const { used, reserved } = await policy.usage();
    expect(used + reserved).toBe(DOLLAR);
  });

  it('takes the whole daily limit for what has no price', async () => {
    await policy.change({ dailyLimitUsdMicros: 7n * DOLLAR });
    landForgotten();
    policy.world.prices.clear();
    await putBack();
    await recover([policy.agentId, own]);
    expect((await policy.usage()).used).toBe(7n * DOLLAR);
  });

  it('ends though something is priced beyond all bounds, which counts as the largest limit', async () => {
    const mint = policy.newMint('1');
    const to = newWallet().address;
    const absurd = { from: own.address, to, amount: 2n ** 63n, mint };
    const ordinary = { from: own.address, to, amount: DOLLAR };
    policy.world.land(...forgottenMessage(), { paid: [absurd, ordinary] });
    policy.world.land(...forgottenMessage(), { paid: [ordinary, { ...absurd, amount: 2n ** 64n - 1n }] });
    landForgotten();
    await putBack();
    await recover([policy.agentId, own]);
    expect((await policy.usage()).used).toBe(2n * 10n ** 15n + DOLLAR);
    expect(await refusal(ask())).toMatchObject({ code: 'POLICY_VIOLATION', data: { rule: 'frozen' } });
  });

  it('ends though a stranger names the wallet in a transaction that cannot be read', async () => {
    landForgotten();
    policy.world.land(...forgottenMessage(), { isUnsupported: true });
    landForgotten();
    await putBack();
    await recover([policy.agentId, own]);
    expect(await policy.usage()).toEqual({ ...SPENT, used: 2n * DOLLAR });
  });

  it('does not look at what lands after all that it could have forgotten', async () => {
    await putBack();
    const id = await begun();
    passBlocks();
    await eventually(async () => (await status()).blocksRemaining === undefined);
    landForgotten();
    policy.world.advance(FINALITY_BLOCKS + 1);
    await tell(id, [policy.agentId, own]);
    await eventually(async () => !(await status()).inProgress);
    expect((await operators.listRecovered({})).transactions).toEqual([]);
  });

  it('permits bytes again that were found on chain, under any policy: they move nothing', async () => {
    const { request, message } = authorization(policy.agentId, transferIntent(own.address));
    policy.world.land(message, own.sign(message), { paid: { from: own.address, to: own.address, amount: DOLLAR } });
    await putBack();
    await recover([policy.agentId, own]);
    expect((await policy.wallet.authorize(request)).permit).toBeDefined();
    expect(await refusal(ask())).toMatchObject({ data: { rule: 'frozen' } });
  });

  it('freezes an agent whose wallet was never reported', async () => {
    await putBack();
    await recover();
    expect(await refusal(ask())).toMatchObject({ code: 'POLICY_VIOLATION', data: { rule: 'frozen' } });
  });

  it('recovers once: not at the next start, and on from where a process has died', async () => {
    landForgotten();
    await putBack();
    const id = await begun();
    await tell(id, [policy.agentId, own]);
    await policy.restart();
    await connect();
    expect(await status()).toMatchObject({ inProgress: true, recoveryId: id, walletsReported: true });
    passBlocks();
    await eventually(async () => !(await status()).inProgress);
    expect(await policy.usage()).toEqual(SPENT);
    await policy.restart();
    await connect();
    expect(await status()).toMatchObject({ inProgress: false, recoveryId: id });
    expect(await policy.usage()).toEqual(SPENT);
  });
});

describe('the treasury', () => {
  it('counts a forgotten payout, freezes who got it, and moves nothing more before an operator says so', async () => {
    landForgotten(TREASURY, own.address);
    await ask(escrowIntent(own.address));
    await putBack();
    await recover([policy.agentId, own]);
    expect((await operators.listRecovered({})).transactions).toMatchObject([
      { agentId: policy.agentId, valueUsdMicros: 0n, frozen: true },
    ]);
    const [row] = await policy.database.rows<{ paid: string }>('select paid_out_amount::text as paid from payouts');
    expect(row!.paid).toBe(String(DOLLAR));
    await policy.newAgent();
    expect(isRecovering(await refusal(ask(escrowIntent(own.address))))).toBe(true);
    expect((await ask()).permit).toBeDefined();
    expect(await operators.unfreezeTreasury(NOTE)).toEqual({ changed: true });
    expect((await ask(escrowIntent(own.address))).permit).toBeDefined();
  });
});

describe('a recovery by hand', () => {
  it('begins once, for what an operator says may be missing', async () => {
    landForgotten();
    const since = { ...NOTE, sinceMs: BigInt(Date.now() - 3_600_000) };
    expect(await operators.startRecovery(since)).toEqual({ changed: true });
    expect(await operators.startRecovery(since)).toEqual({ changed: false });
    expect(isRecovering(await refusal(ask()))).toBe(true);
    await recover([policy.agentId, own]);
    expect(await policy.usage()).toEqual(SPENT);
  });
});
