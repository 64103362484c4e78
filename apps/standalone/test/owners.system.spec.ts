import { auditV1, type policyV1, walletV1 } from '@agent-wallet/contracts';
import { newId } from '@agent-wallet/kernel';
import type { RpcClient } from '@agent-wallet/platform';
import { Authenticator, eventually } from '@agent-wallet/testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import path from 'node:path';
import { type AgentClient, callJson, type Envelope } from '../src/index.js';
import { type Deployment, shareDeployment } from './harness/deployment.js';
import { impersonate } from './harness/impostor.js';
import { OWNER_ORIGIN } from '../src/testing/owner-console.js';
import { newRecipient } from './harness/recipient.js';
import { agentIdOf } from './harness/sessions.js';
import { openSuperuser, type Superuser } from './harness/superuser.js';
import { victimOf } from './harness/targets.js';

/** The wallet and the mailbox that a claim names: policy takes the gateway's word. */
const NAMED = { wallet: '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin', email: 'agent@example.com' };

const PROGRAM = path.join(import.meta.dirname, '..', '..', 'ops', 'dist', 'audit.js');
const AWAITING = walletV1.OperationState.OPERATION_STATE_AWAITING_APPROVAL;

let deployment: Deployment;
let superuser: Superuser;
let agent: AgentClient;
let owners: RpcClient<policyV1.OwnerServiceService>;

beforeAll(async () => {
  deployment = await shareDeployment();
  superuser = await openSuperuser(deployment);
  agent = await deployment.agent();
  // Votes without a console: the test calls with the gateway's certificate.
  owners = await impersonate(deployment, 'gateway', 'owners');
  const { challenge } = await owners.createPasskeyChallenge({ ownerId });
  await owners.addPasskey({ ownerId, registrationJson: passkey.register(challenge) });
});

afterAll(async () => {
  owners?.close();
  await superuser?.close();
});

const ownerId = newId();
const passkey = new Authenticator(OWNER_ORIGIN);

/** Requests an approval and signs it. */
async function approve(request: NonNullable<policyV1.RequestApprovalRequest['request']>): Promise<void> {
  const { approval } = await owners.requestApproval({ request });
  await sign(approval!);
}

async function sign({ approvalId, document }: policyV1.Approval): Promise<void> {
  const assertionJson = passkey.assert(createHash('sha256').update(document).digest());
  await owners.vote({ approvalId, ownerId, assertionJson });
}

/** Facts of the log about the agent and its owner, once both votes are in it. */
function logged(agentId: string): Promise<string[]> {
  return eventually(
    async () => {
      const sql = 'select payload from history.events where agent_id in ($1, $2) order by position';
      const rows = await superuser.rows<{ payload: Buffer }>(sql, agentId, ownerId);
      return rows.map(({ payload }) => auditV1.AuditEvent.decode(payload).fact!.$case);
    },
    (facts) => facts.filter((fact) => fact === 'approvalDecided').length === 2,
  );
}

function auditVerify(): Promise<{ code: number; printed: string }> {
  const { host, port, user, password } = deployment.infrastructure.postgres;
  const { database } = deployment.infrastructure.databases.history;
  const login = `${user}:${encodeURIComponent(password.reveal())}`;
  const env = { DATABASE_URL: `postgres://${login}@${host}:${port}/${database}` };
  return new Promise((resolve) => {
    execFile(process.execPath, [PROGRAM], { env }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, printed: stdout + stderr }),
    );
  });
}

it('an agent that its owner has claimed loosens its policy only with the owner’s signature, which audit:verify accepts', async () => {
  const agentId = agentIdOf(agent);
  await agent.patchPolicy({ dailyLimitInUsd: 510 });
  await approve({ $case: 'claim', value: { agentId, ownerId, keepSessions: false, holdsNothing: true, ...NAMED } });
  expect(await agent.patchPolicy({ dailyLimitInUsd: 520 })).toMatchObject({
    status: 403,
    body: {
      data: {
        code: 'POLICY_LOOSENING_NEEDS_OWNER',
        loosens: [{ field: 'dailyLimitInUsd', before: '510', after: '520' }],
      },
    },
  });
  expect(await agent.patchPolicy({ dailyLimitInUsd: 505 })).toMatchObject({ status: 200 });
  const change = {
    agentId,
    ownerId: '',
    note: 'rent',
    dailyLimitUsdMicros: 520_000_000n,
    allowedRecipients: undefined,
  };
  await approve({ $case: 'policy', value: change });
  expect(await agent.patchPolicy({})).toMatchObject({ body: { data: { policy: { dailyLimitInUsd: 520 } } } });
  expect(await logged(agentId)).toEqual(
    expect.arrayContaining(['passkeyChanged', 'approvalRequested', 'memberChanged', 'policyChanged']),
  );
  const { code, printed } = await auditVerify();
  expect([code, printed]).toEqual([0, expect.stringContaining('as it was written')]);
});

/** A change of every field that the public API shows, each tighter than the default. */
const TIGHTER: Readonly<Record<string, unknown>> = {
  maxSingleTransactionInUsd: 50.25,
  dailyLimitInUsd: 400,
  allowedRecipients: [newRecipient(), newRecipient()],
  allowTrading: false,
  allowLiquidityProvision: false,
  allowPredictionMarkets: false,
  sessionExpirationHours: 100,
  newRecipients: 'deny',
  newRecipientCoolDownHours: 48,
  approveAboveInUsd: 20.5,
  allowedTokens: [],
  allowedMarkets: ['KXHIGHNY'],
};

it('a change of each policy field is in history and in the proof, and audit:verify accepts the log', async () => {
  const of = await deployment.agent();
  const agentId = agentIdOf(of);
  const headers = { authorization: `Bearer ${of.token}` };
  const read = async <Data>(route: string) =>
    (await callJson<Envelope<Data>>(`${of.baseUrl}/wallets/me${route}`, { headers })).body.data;
  const { policy: before } = await read<{ policy: Record<string, unknown> }>('/policy');
  expect(Object.keys(TIGHTER).sort()).toEqual(Object.keys(before).sort());
  await approve({ $case: 'claim', value: { agentId, ownerId, keepSessions: true, holdsNothing: true, ...NAMED } });
  for (const [field, value] of Object.entries(TIGHTER)) {
    expect(await of.patchPolicy({ [field]: value })).toMatchObject({
      status: 200,
      body: { data: { policy: { [field]: value } } },
    });
  }
  const lifetime = { agentId, ownerId: '', note: '', approvalLifetimeHours: 12, allowedRecipients: undefined };
  await approve({ $case: 'policy', value: lifetime });

  const expected = Object.entries({ ...TIGHTER, approvalLifetimeHours: 12 }).map(([field, after]) => ({
    ...{ field, after },
    before: field === 'approvalLifetimeHours' ? 24 : before[field],
  }));
  const { transactions } = await eventually(
    () => read<{ transactions: Array<{ metadata: { changes: unknown[] } }> }>('/history?action=policy_update&limit=50'),
    ({ transactions }) => transactions.length === expected.length,
  );
  expect(transactions.flatMap(({ metadata }) => metadata.changes).reverse()).toEqual(expected);
  const { events } = await read<{ events: Array<{ type: string }> }>('/history/proof?limit=100');
  const changed = events.filter(({ type }) => type === 'agentwallet.policy.changed.v1');
  expect(changed).toHaveLength(expected.length);
  const { code, printed } = await auditVerify();
  expect([code, printed]).toEqual([0, expect.stringContaining('as it was written')]);
});

it('a payment above the owner’s amount waits for a signature over its terms, and is made once or not at all', async () => {
  const { agentId } = await victimOf(deployment);
  await approve({ $case: 'claim', value: { agentId, ownerId, keepSessions: true, holdsNothing: true, ...NAMED } });
  const [policy, wallet] = await Promise.all([
    impersonate(deployment, 'gateway', 'policy'),
    // The operation's id is the test's.
    impersonate(deployment, 'gateway', 'wallet'),
  ]);
  try {
    await policy.updatePolicy({ agentId, allowedRecipients: undefined, approveAbove: { usdMicros: 1_000_000n } });
    const to = newRecipient();
    const send = (operationId: string) =>
      wallet.transfer(
        {
          operationId,
          agentId,
          to,
          mint: 'USDC',
          amount: '2',
          memo: 'rent',
          waitMs: 20_000,
          cancelIfNotStarted: false,
        },
        { deadlineMs: 30_000 },
      );
    const [paid, refused] = [newId(), newId()];
    const asked = await send(paid);
    expect(asked).toMatchObject({ state: AWAITING, signature: '', approval: { reasons: ['above_amount'] } });
    expect(await send(paid)).toMatchObject({ state: AWAITING, approval: asked.approval });
    const { approvalId } = asked.approval!;
    const viewer = { $case: 'ownerId', value: ownerId } as const;
    const { approval } = await owners.getApproval({ approvalId, viewer });
    const document = JSON.parse(approval!.document.toString()) as { readonly terms: object };
    expect(document.terms).toMatchObject({ recipient: to, amount: '2000000', memo: 'rent' });
    await sign(approval!);
    expect(await send(paid)).toMatchObject({ state: walletV1.OperationState.OPERATION_STATE_CONFIRMED });
    const other = await send(refused);
    await owners.closeApproval({ approvalId: other.approval!.approvalId, by: viewer });
    await expect(send(refused)).rejects.toMatchObject({ code: 'APPROVAL_REJECTED', data: { reason: 'rejected' } });
    await eventually(
      () => policy.getUsage({ agentId }),
      ({ reservedUsdMicros, settledUsdMicros }) => reservedUsdMicros === 0n && settledUsdMicros > 0n,
    );
    const statuses = await eventually(
      () => superuser.rows<{ id: string; status: string }>('select id, status from history.transactions'),
      (rows) => rows.some(({ id, status }) => id === refused && status === 'rejected_by_owner'),
    );
    expect(statuses).toContainEqual({ id: paid, status: 'confirmed' });
    expect(await auditVerify()).toMatchObject({ code: 0 });
  } finally {
    policy.close();
    wallet.close();
  }
});

it('a trade above the owner’s amount waits for a signature over its terms, and lands once', async () => {
  const { agentId } = await victimOf(deployment);
  await approve({ $case: 'claim', value: { agentId, ownerId, keepSessions: true, holdsNothing: true, ...NAMED } });
  const [policy, swap] = await Promise.all([
    impersonate(deployment, 'gateway', 'policy'),
    impersonate(deployment, 'gateway', 'swap'),
  ]);
  try {
    await policy.updatePolicy({ agentId, allowedRecipients: undefined, approveAbove: { usdMicros: 1_000_000n } });
    const order = { operationId: newId(), agentId, from: 'USDC', to: 'SOL', amount: '2', slippageBps: 50 };
    const trade = () =>
      swap.trade(
        { ...order, allowRisky: false, allowUnpricedOutput: false, waitMs: 20_000, cancelIfNotStarted: false },
        { deadlineMs: 30_000 },
      );
    const asked = await trade();
    expect(asked).toMatchObject({ state: AWAITING, signature: '', approval: { reasons: ['above_amount'] } });
    const viewer = { $case: 'ownerId', value: ownerId } as const;
    const { approval } = await owners.getApproval({ approvalId: asked.approval!.approvalId, viewer });
    const { terms } = JSON.parse(approval!.document.toString()) as { readonly terms: object };
    expect(terms).toMatchObject({ inputAmount: '2000000', minOutputAmount: String(asked.facts!.minOutputAmount) });
    await sign(approval!);
    const done = await trade();
    expect(done).toMatchObject({ state: walletV1.OperationState.OPERATION_STATE_CONFIRMED });
    expect(done.facts!.output!.amount).toBeGreaterThanOrEqual(asked.facts!.minOutputAmount!);
    expect(await trade()).toMatchObject({ signature: done.signature });
  } finally {
    policy.close();
    swap.close();
  }
});
