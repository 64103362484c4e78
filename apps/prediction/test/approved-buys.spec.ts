import type { ReadBuy } from './read-order.js';
import { policyV1 } from '@agent-wallet/contracts';
import { AppError, newId } from '@agent-wallet/kernel';
import { eventually } from '@agent-wallet/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { End } from './saga-checks.js';
import { type Copy, SagaWorld } from './saga-world.js';

const State = policyV1.ApprovalState;
const FUNDS = 1_000_000_000n;
/** The worst level of ten contracts and the tolerance. */
const LIMIT = 450_000n;

let world: SagaWorld;

beforeAll(async () => {
  world = await SagaWorld.open();
});

beforeEach(() => world.calm());

afterEach(() => world.stopCopies());

afterAll(() => world.close());

/** An agent whose buys an owner must approve, and a buy. */
function asked() {
  const agentId = world.agent();
  world.wallet.approvals.agents.add(agentId);
  return world.buyCall(agentId);
}

type BuyCall = ReturnType<typeof asked>;

/** A buy that waits. */
async function awaiting(copy = world.copy()): Promise<BuyCall> {
  const call = asked();
  expect(await copy.buy.execute(call)).toMatchObject({ isConfirmed: false, approval: { reasons: ['above_amount'] } });
  return call;
}

const decide = ({ operationId }: BuyCall, state: policyV1.ApprovalState) =>
  world.wallet.approvals.decide(operationId, state);

/** The end of a buy, which is repeated as an agent repeats it. */
async function endAt(copy: Copy, call: BuyCall): Promise<End<ReadBuy>> {
  let end: End<ReadBuy> = {};
  await eventually(async () => {
    const answer = await copy.buy.execute(call).catch((error: unknown) => error as AppError);
    end = answer instanceof AppError ? { error: answer } : { answer };
    return answer instanceof AppError || answer.isConfirmed;
  });
  return end;
}

/** Escrows of a buy that moved money. */
const landed = ({ operationId }: BuyCall) => world.wallet.landed(operationId, 1);

/** Number of changes of a buy that history gets. */
const changesOf = async ({ operationId }: BuyCall) => (await world.published(operationId)).length;

describe('a buy that an owner must approve', () => {
  it('waits: nothing moves, nothing is held, and no replica has it', async () => {
    const call = await awaiting();
    expect(world.wallet.fundsOf(call.agentId)).toBe(FUNDS);
    expect(landed(call)).toEqual([]);
    const { rows } = await world.database.pool.query('select state, owner, plan from operations where id = $1', [
      call.operationId,
    ]);
    expect(rows).toMatchObject([{ state: 'awaiting_approval', plan: { state: 'awaiting_approval', attempt: 1 } }]);
    expect(await world.ledger.balanceOf(call.agentId)).toMatchObject({ availableUsdMicros: 0n, reservedUsdMicros: 0n });
    await world.audit();
  });

  it('is done once it is approved, at most at the signed price and cost', async () => {
    const copy = world.copy();
    const call = await awaiting(copy);
    const before = [...world.wallet.attempts].find(([key]) => key.startsWith(call.operationId))![1].order!;
    decide(call, State.APPROVAL_STATE_APPROVED);
    // Without another call of the agent.
    await eventually(() => Promise.resolve(landed(call).length === 1));
    const { answer } = await endAt(copy, call);
    expect(answer).toMatchObject({ order: { status: 'filled', totalUsdMicros: 4_270_000n }, approval: undefined });
    expect(landed(call)).toMatchObject([{ order: before }]);
    expect(FUNDS - world.wallet.fundsOf(call.agentId)).toBe(4_270_000n + answer!.order.feeUsdMicros);
    expect(world.wallet.approvals.stateOf(call.operationId)).toBe(State.APPROVAL_STATE_USED);
    await world.audit();
  });

  it('is planned again: a book that became dearer is bought up to the signed price', async () => {
    const copy = world.copy();
    const call = await awaiting(copy);
    // 4 at 45 cents, the rest above what was signed.
    world.exchange.book = { yesBids: [], noBids: [level(550_000n, 400n), level(540_000n, 9_000n)] };
    decide(call, State.APPROVAL_STATE_APPROVED);
    const { answer } = await endAt(copy, call);
    expect(answer).toMatchObject({ order: { status: 'partially_filled', filled: 400n, totalUsdMicros: 1_800_000n } });
    expect(landed(call)).toMatchObject([{ order: { maxPriceUsdMicros: LIMIT } }]);
    await world.audit();
  });

  it('is planned again: a cheaper book costs less, with the signed limit', async () => {
    const copy = world.copy();
    const call = await awaiting(copy);
    world.exchange.book = { yesBids: [], noBids: [level(700_000n, 9_000n)] };
    decide(call, State.APPROVAL_STATE_APPROVED);
    expect((await endAt(copy, call)).answer).toMatchObject({ order: { status: 'filled', totalUsdMicros: 3_000_000n } });
    await world.audit();
  });

  it.each<[string, () => void]>([
    [
      'whose market is dearer by then',
      () => void (world.exchange.book = { yesBids: [], noBids: [level(540_000n, 9_000n)] }),
    ],
    ['whose fee is higher by then', () => void (world.exchange.fees = { takerRatePpm: 140_000n })],
  ])('%s is cancelled, and nothing moves', async (_, change) => {
    const copy = world.copy();
    const call = await awaiting(copy);
    change();
    decide(call, State.APPROVAL_STATE_APPROVED);
    expect((await endAt(copy, call)).answer).toMatchObject({
      signature: '',
      order: { status: 'cancelled', filled: 0n },
    });
    expect(world.wallet.fundsOf(call.agentId)).toBe(FUNDS);
    expect(world.wallet.approvals.stateOf(call.operationId)).toBe(State.APPROVAL_STATE_APPROVED);
    expect(await changesOf(call)).toBe(3);
    await world.audit();
  });

  it('whose market has closed by then fails, as history says', async () => {
    const copy = world.copy();
    const call = await awaiting(copy);
    world.exchange.trading = { status: 'closed', paused: false };
    decide(call, State.APPROVAL_STATE_APPROVED);
    expect((await endAt(copy, call)).error).toMatchObject({ code: 'MARKET_CLOSED' });
    expect(world.wallet.fundsOf(call.agentId)).toBe(FUNDS);
    expect(await changesOf(call)).toBe(3);
  });

  it.each<[string, policyV1.ApprovalState, object]>([
    ['is rejected', State.APPROVAL_STATE_REJECTED, { code: 'APPROVAL_REJECTED', data: { reason: 'rejected' } }],
    ['is withdrawn', State.APPROVAL_STATE_WITHDRAWN, { code: 'APPROVAL_REJECTED', data: { reason: 'withdrawn' } }],
    ['is void', State.APPROVAL_STATE_VOID, { code: 'APPROVAL_REJECTED', data: { reason: 'void' } }],
    ['expires', State.APPROVAL_STATE_EXPIRED, { code: 'APPROVAL_EXPIRED' }],
  ])('ends when the approval %s, and nothing moves', async (_, state, error) => {
    const copy = world.copy();
    const call = await awaiting(copy);
    decide(call, state);
    expect((await endAt(copy, call)).error).toMatchObject(error);
    expect((await endAt(world.copy(), call)).error).toMatchObject(error);
    expect(landed(call)).toEqual([]);
    expect(world.wallet.fundsOf(call.agentId)).toBe(FUNDS);
    await world.audit();
  });

  it('ends when policy has lost the approval with its database', async () => {
    const copy = world.copy();
    const call = await awaiting(copy);
    world.wallet.approvals.isLost = true;
    const { error } = await endAt(copy, call);
    world.wallet.approvals.isLost = false;
    expect(error).toMatchObject({ code: 'APPROVAL_REJECTED', data: { reason: 'void' } });
  });

  it('ends when the approval is void between the question and the escrow', async () => {
    const copy = world.copy();
    const call = await awaiting(copy);
    world.wallet.onEffect = async (what) => {
      if (what === 'before-escrow') decide(call, State.APPROVAL_STATE_VOID);
    };
    decide(call, State.APPROVAL_STATE_APPROVED);
    expect((await endAt(copy, call)).error).toMatchObject({ code: 'APPROVAL_REJECTED', data: { reason: 'void' } });
    expect(world.wallet.fundsOf(call.agentId)).toBe(FUNDS);
    await world.audit();
  });

  it('waits again when it must be approved again, and moves its money once', async () => {
    const copy = world.copy();
    const call = await awaiting(copy);
    let times = 0;
    world.wallet.onEffect = async (what) => {
      if (what !== 'before-escrow') return;
      times += 1;
      if (times === 1) decide(call, State.APPROVAL_STATE_PENDING);
    };
    decide(call, State.APPROVAL_STATE_APPROVED);
    await eventually(() => Promise.resolve(times === 1));
    expect(await copy.buy.execute(call)).toMatchObject({ isConfirmed: false });
    decide(call, State.APPROVAL_STATE_APPROVED);
    expect((await endAt(copy, call)).answer).toMatchObject({ order: { status: 'filled' } });
    expect(landed(call)).toHaveLength(1);
    await world.audit();
  });

  it('is another operation’s, if its terms are', async () => {
    const call = await awaiting();
    const other = { ...call, request: { ...call.request, count: 1_100n } };
    await expect(world.copy().buy.execute(other)).rejects.toMatchObject({ code: 'IDEMPOTENCY_MISMATCH' });
    expect(await world.copy().buy.execute({ ...call, operationId: newId() })).toHaveProperty('approval.approvalId');
  });
});

/** Places before the money moves, and the calls that move it. */
const PLACES = ['after-approval', 'planned', 'before-escrow', 'escrow', 'escrowed', 'posted'] as const;

describe.each(PLACES)('a process that dies at %s of an approved buy', (where) => {
  it('leaves a buy that another one finishes, with one escrow and one order', async () => {
    const call = await awaiting();
    await world.stopCopies();
    const { copy, died, die } = world.mortalCopy((name) => name === `prediction_buy.${where}`);
    const onEffect = async (what: string): Promise<void> => {
      if (what === where) await die();
    };
    world.exchange.onEffect = world.wallet.onEffect = onEffect;
    decide(call, State.APPROVAL_STATE_APPROVED);
    void copy.buy.execute(call).catch(() => undefined);
    await died;
    world.exchange.onEffect = world.wallet.onEffect = async () => {};
    const heir = world.copy();
    const { answer } = await endAt(heir, call);
    expect(answer).toMatchObject({ order: { status: 'filled' } });
    expect(landed(call)).toHaveLength(1);
    expect(FUNDS - world.wallet.fundsOf(call.agentId)).toBe(answer!.order.totalUsdMicros + answer!.order.feeUsdMicros);
    await world.audit();
  });
});

it('is parked once by a process that dies right after it', async () => {
  const { copy, died } = world.mortalCopy((name) => name === 'prediction_buy.after-parking');
  const call = asked();
  void copy.buy.execute(call).catch(() => undefined);
  await died;
  const heir = world.copy();
  expect(await heir.buy.execute(call)).toHaveProperty('approval.approvalId');
  decide(call, State.APPROVAL_STATE_APPROVED);
  expect((await endAt(heir, call)).answer).toMatchObject({ order: { status: 'filled' } });
  expect(landed(call)).toHaveLength(1);
  await world.audit();
});

it('is taken up by one of two replicas, however often it is asked for', async () => {
  const copies = [world.copy(), world.copy()];
  const calls = await Promise.all(Array.from({ length: 6 }, () => awaiting(copies[0])));
  calls.forEach((call) => decide(call, State.APPROVAL_STATE_APPROVED));
  const repeated = calls.flatMap((call) => copies.map((copy) => endAt(copy, call)));
  for (const { answer } of await Promise.all(repeated)) expect(answer).toMatchObject({ order: { status: 'filled' } });
  for (const call of calls) expect(landed(call)).toHaveLength(1);
  await world.audit();
});

const level = (priceUsdMicros: bigint, count: bigint) => ({ priceUsdMicros, count });
