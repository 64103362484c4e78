import { policyV1, walletV1 } from '@agent-wallet/contracts';
import { newId } from '@agent-wallet/kernel';
import { eventually } from '@agent-wallet/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { acceptedRecord } from '../src/api/actions/outcome-records.js';
import { approvalPage } from '../src/api/schemas/approval-records.js';
import { transactionRecord } from '../src/api/history/transactions.js';
import { type Client, expectReplayed } from './client.js';
import { CONFIRMED, historyFacts, historyRecord, listed, RECIPIENT, SUBMITTED } from './default-script.js';
import { expectFailure } from './expect-failure.js';
import { approval, ORIGIN } from './owner-console.js';
import { BODY, fails, FIRST_POLL_MS, GENEROUS, POLLS_OFTEN, type Transfer, walletDoes } from './wallet-script.js';
import { World } from './world.js';

let world: World;
let client: Client;
let agentId: string;
beforeAll(async () => {
  world = await World.open({ rateLimits: GENEROUS, ownerOrigin: ORIGIN, hasOwnerConsole: true }, POLLS_OFTEN);
});
beforeEach(async () => {
  await world.reset();
  ({ client, agentId } = await world.login());
});
afterAll(() => world.close());

const EXPIRES_AT_MS = 1_763_805_600_000n;

/** A transfer that waits for the owner. */
function awaiting(approvalId: string): walletV1.TransferResponse {
  const state = walletV1.OperationState.OPERATION_STATE_AWAITING_APPROVAL;
  return { ...SUBMITTED, state, approval: { approvalId, expiresAtMs: EXPIRES_AT_MS, reasons: ['above_amount'] } };
}

const answers = (transfer: Transfer) => walletDoes(world, [agentId], transfer);

/** What is stored of an operation's request. */
async function stored(operationId: string) {
  const sql = 'select state, poll_at, polls from idempotency_records where operation_id = $1';
  const { rows } = await world.database.pool.query<{ state: string; poll_at: Date; polls: number }>(sql, [operationId]);
  return rows[0]!;
}

describe('a transfer that the owner must approve', () => {
  it('is a 202 that says where, until it is decided: then the same key gets the result', async () => {
    const approvalId = newId();
    const asked = answers(async () => awaiting(approvalId));
    const first = await client.transfer(BODY, 'waits');
    const transactionId = asked[0]!.operationId;
    expect([first.status, first.body.data]).toEqual([
      202,
      {
        ...{ status: 'awaiting_approval', transactionStatus: 'awaiting_approval', transactionId, approvalId },
        ...{ approvalUrl: `${ORIGIN}/approvals/${approvalId}`, expiresAt: '2025-11-22T10:00:00.000Z' },
        reasons: ['above_amount'],
      },
    ]);
    expect(acceptedRecord.safeParse(first.body.data).error).toBeUndefined();
    const second = await client.transfer(BODY, 'waits');
    expectReplayed(first, second);

    answers(async () => CONFIRMED);
    const third = await client.transfer(BODY, 'waits');
    expect([third.status, third.body.data.originalResponse]).toMatchObject([200, { transactionId }]);
    expect((await stored(transactionId)).state).toBe('final');
  });

  it.each([
    ['APPROVAL_REJECTED', { reason: 'rejected' }, 'rejected_by_owner'],
    ['APPROVAL_REJECTED', { reason: 'withdrawn' }, 'cancelled'],
    ['APPROVAL_REJECTED', { reason: 'void' }, 'rejected_by_policy'],
    ['APPROVAL_EXPIRED', {}, 'expired'],
  ] as const)('and that ends as %s with %j is a final 403', async (code, facts, status) => {
    const approvalId = newId();
    answers(async () => awaiting(approvalId));
    const { transactionId } = (await client.transfer(BODY, 'ends')).body.data;
    answers(fails(code, { data: { approvalId, ...facts } }));
    const ended = await client.transfer(BODY, 'ends');
    expectFailure(ended, 403, code);
    expect(ended.body.data).toMatchObject({ retry: 'never', retryable: false, approvalId, transactionId, ...facts });
    answers(async () => CONFIRMED);
    expectReplayed(ended, await client.transfer(BODY, 'ends'));
    const { transaction } = (await client.get(`/wallets/me/history/${transactionId}`)).body.data;
    expect([transaction.status, transactionRecord.safeParse(transaction).error]).toEqual([status, undefined]);
  });

  it('holds neither claim nor lease, and is asked for rarely', async () => {
    const asked = answers(async () => awaiting(newId()));
    const startedMs = world.clock.nowMs();
    world.clock.stopAt(startedMs);
    await client.transfer(BODY, 'rests');
    const { operationId } = asked[0]!;
    // Only a claim has a lease.
    expect(await stored(operationId)).toMatchObject({ state: 'submitted', polls: 0 });
    const pauses: number[] = [];
    let nowMs = startedMs + FIRST_POLL_MS;
    for (let polls = 1; polls <= 5; polls += 1) {
      world.clock.stopAt(nowMs);
      const dueMs = await eventually(
        async () => ({ ...(await stored(operationId)), nowMs }),
        (row) => row.polls === polls && row.poll_at.getTime() > nowMs + 30_000,
      );
      pauses.push((dueMs.poll_at.getTime() - nowMs) / 1_000);
      nowMs = dueMs.poll_at.getTime();
    }
    expect(pauses).toEqual([120, 240, 480, 600, 600]);
  });
});

it.each([
  ['agents have no owners', { ownerOrigin: undefined }],
  ['no page is served at the owners’ origin', { hasOwnerConsole: false }],
])('approvalUrl is null where %s', async (_, settings) => {
  const { url } = await world.start(settings);
  answers(async () => awaiting(newId()));
  const { status, body } = await client.at(url).transfer(BODY);
  expect([status, body.data.approvalUrl]).toEqual([202, null]);
  expect(acceptedRecord.safeParse(body.data).error).toBeUndefined();
});

it('a proposal carries what an owner must approve', async () => {
  const asked: policyV1.RequestApprovalRequest[] = [];
  world.script.owners.requestApproval = async (request) => {
    asked.push(request);
    return { approval: approval() };
  };
  const changes = {
    newRecipients: 'approve',
    newRecipientCoolDownHours: 24,
    approveAboveInUsd: null,
    allowedTokens: null,
  };
  expect((await client.post('/wallets/me/policy/proposals', { changes })).status).toBe(202);
  expect(asked[0]?.request?.value).toMatchObject({
    newRecipients: policyV1.NewRecipients.NEW_RECIPIENTS_APPROVE,
    newRecipientCoolDownHours: 24,
    ...{ approveAbove: {}, allowedTokens: {} },
  });
});

describe('a proposal about trades', () => {
  const proposed = async (changes: object) => {
    const asked: policyV1.RequestApprovalRequest[] = [];
    world.script.owners.requestApproval = async (request) => {
      asked.push(request);
      return { approval: approval() };
    };
    return { reply: await client.post('/wallets/me/policy/proposals', { changes }), value: asked[0]?.request?.value };
  };

  it.each([
    ['a bound in percent', { maxTradeLossPercent: 12.34 }, { maxTradeLoss: { bps: 1_234 } }],
    ['the whole value', { maxTradeLossPercent: 100 }, { maxTradeLoss: { bps: 10_000 } }],
    ['no bound', { maxTradeLossPercent: null }, { maxTradeLoss: { bps: undefined } }],
    ['tokens without a price', { unpricedTokens: [RECIPIENT] }, { unpricedTokens: { entries: [RECIPIENT] } }],
    ['no such tokens', { unpricedTokens: [] }, { unpricedTokens: { entries: [] } }],
  ])('carries %s', async (_, changes, carried) => {
    const { reply, value } = await proposed(changes);
    expect(reply.status).toBe(202);
    const { maxTradeLoss, unpricedTokens } = value as policyV1.PolicyChangeRequest;
    expect({ maxTradeLoss, unpricedTokens }).toEqual(carried);
  });

  it.each([
    ['maxTradeLossPercent', 0],
    ['maxTradeLossPercent', 100.01],
    ['maxTradeLossPercent', 0.001],
    ['unpricedTokens', null],
    ['unpricedTokens', [RECIPIENT, RECIPIENT]],
    [
      'unpricedTokens',
      Array.from({ length: 101 }, (_, n) => RECIPIENT.slice(0, -3) + `${n + 111}`.replaceAll('0', 'z')),
    ],
  ])('with a bad %s is refused', async (field, bad) => {
    const { reply, value } = await proposed({ [field]: bad });
    expectFailure(reply, 400, 'VALIDATION_ERROR');
    expect([reply.body.data.details[0].field, value]).toEqual([`changes.${field}`, undefined]);
  });
});

it('history shows how these fields of a policy changed', async () => {
  const changes = [
    { field: 'approveAboveInUsd', before: null, after: 25.5 },
    { field: 'newRecipients', before: 'allow', after: 'deny' },
  ];
  const facts = historyFacts({
    $case: 'policyUpdate',
    value: {
      changes: changes.map(({ field, before, after }) => ({
        ...{ field, before: JSON.stringify(before), after: JSON.stringify(after) },
      })),
    },
  });
  const record = { ...historyRecord(newId()), action: 'policy_update', facts };
  world.script.history.listTransactions = async () => listed([record]);
  const [shown] = (await client.get('/wallets/me/history')).body.data.transactions;
  expect(shown.metadata).toEqual({ changes });
  expect(transactionRecord.safeParse(shown).error).toBeUndefined();
});

it('history has the states of operations that an owner decides', async () => {
  const statuses = ['awaiting_approval', 'rejected_by_owner', 'cancelled'];
  world.script.history.listTransactions = async () => listed(statuses.map((status) => historyRecord(newId(), status)));
  const { transactions } = (await client.get('/wallets/me/history')).body.data;
  expect(transactions.map(({ status }: { status: string }) => status)).toEqual(statuses);
  for (const each of transactions) expect(transactionRecord.safeParse(each).error).toBeUndefined();
});

it('approvals of operations are listed by their own states', async () => {
  const { ApprovalKind, ApprovalState } = policyV1;
  const kind = ApprovalKind.APPROVAL_KIND_OPERATION;
  const { APPROVAL_STATE_APPROVED, APPROVAL_STATE_USED, APPROVAL_STATE_VOID } = ApprovalState;
  const states = [APPROVAL_STATE_APPROVED, APPROVAL_STATE_USED, APPROVAL_STATE_VOID];
  const wanted: policyV1.ApprovalState[] = [];
  world.script.owners.listApprovals = async ({ state }) => {
    wanted.push(state);
    return { approvals: states.map((each) => approval({ kind, state: each })), nextCursor: '' };
  };
  const { body } = await client.get('/wallets/me/approvals?state=used');
  expect(approvalPage.safeParse(body.data).error).toBeUndefined();
  expect(body.data.approvals).toMatchObject([
    { kind: 'operation', state: 'approved' },
    { kind: 'operation', state: 'used' },
    { kind: 'operation', state: 'void' },
  ]);
  expect(wanted).toEqual([APPROVAL_STATE_USED]);
});
