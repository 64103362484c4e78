import { auditV1, type policyV1 } from '@agent-wallet/contracts';
import { newId } from '@agent-wallet/kernel';
import type { RpcClient } from '@agent-wallet/platform';
import { Authenticator, eventually } from '@agent-wallet/testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import path from 'node:path';
import pg from 'pg';
import type { AgentClient } from '../src/index.js';
import { deploy, type Deployment } from './harness/deployment.js';
import { impersonate } from './harness/impostor.js';
import { agentIdOf } from './harness/sessions.js';
import { openSuperuser, type Superuser } from './harness/superuser.js';

/** The wallet and the mailbox that a claim names: policy takes the gateway's word. */
const NAMED = { wallet: '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin', email: 'agent@example.com' };

const PROGRAM = path.join(import.meta.dirname, '..', '..', 'ops', 'dist', 'audit.js');
const ORIGIN = 'https://owner.example.com';

type Fact = NonNullable<auditV1.AuditEvent['fact']>;

const ownerId = newId();
const passkey = new Authenticator(ORIGIN);

let deployment: Deployment;
let superuser: Superuser;
let agent: AgentClient;
let agentId: string;
let owners: RpcClient<policyV1.OwnerServiceService>;
/** Policy's own role of the database, in the hands of an attacker. */
let policyRole: pg.Client;

beforeAll(async () => {
  deployment = await deploy({ environment: { OWNER_ORIGIN: ORIGIN } });
  superuser = await openSuperuser(deployment);
  agent = await deployment.agent();
  agentId = agentIdOf(agent);
  owners = await impersonate(deployment, 'gateway', 'owners');
  const { challenge } = await owners.createPasskeyChallenge({ ownerId });
  await owners.addPasskey({ ownerId, registrationJson: passkey.register(challenge) });
  const { host, port, user, password, database } = deployment.infrastructure.databases.policy;
  policyRole = new pg.Client({ host, port, user, password: password.reveal(), database });
  await policyRole.connect();
  await policyRole.query('set search_path = policy');
});

afterAll(async () => {
  owners?.close();
  await policyRole?.end();
  await superuser?.close();
  await deployment?.stop();
});

/** Requests an approval and signs it. @returns its id */
async function approve(request: NonNullable<policyV1.RequestApprovalRequest['request']>): Promise<string> {
  const { approvalId, document } = (await owners.requestApproval({ request })).approval!;
  const assertionJson = passkey.assert(createHash('sha256').update(document).digest());
  await owners.vote({ approvalId, ownerId, assertionJson });
  return approvalId;
}

function facts(): Promise<Fact[]> {
  const sql = 'select payload from history.events where agent_id = $1 order by position';
  return superuser
    .rows<{ payload: Buffer }>(sql, agentId)
    .then((rows) => rows.map(({ payload }) => auditV1.AuditEvent.decode(payload).fact!));
}

/** Writes an event as policy does, and waits until history has it. */
async function publish(fact: Fact): Promise<string> {
  const eventId = newId();
  const event = {
    eventId,
    agentId,
    occurredAtMs: 1_900_000_000_000n,
    source: 'policy',
    requestId: '',
    traceparent: '',
  };
  const payload = auditV1.AuditEvent.encode({ ...event, fact }).finish();
  await policyRole.query('insert into outbox (event_id, agent_id, payload) values ($1, $2, $3)', [
    eventId,
    agentId,
    payload,
  ]);
  await eventually(
    () => superuser.rows('select from history.events where event_id = $1', eventId),
    ({ length }) => length === 1,
  );
  return eventId;
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

const limit = (before: string, after: string) => [{ field: 'dailyLimitInUsd', before, after }];

it('audit:verify accepts what policy writes, and names what its database role writes without a signature', async () => {
  await agent.patchPolicy({ dailyLimitInUsd: 510 });
  await approve({ $case: 'claim', value: { agentId, ownerId, keepSessions: true, holdsNothing: true, ...NAMED } });
  await agent.patchPolicy({ dailyLimitInUsd: 505, allowTrading: false });
  const change = {
    agentId,
    ownerId: '',
    note: 'rent',
    dailyLimitUsdMicros: 520_000_000n,
    allowedRecipients: undefined,
  };
  const approvalId = await approve({ $case: 'policy', value: change });
  await owners.tightenPolicy({ change: { ...change, ownerId, note: '', dailyLimitUsdMicros: 515_000_000n } });
  await owners.freezeAgent({ agentId, ownerId });
  await approve({ $case: 'unfreeze', value: { agentId, ownerId } });
  const decided = (all: readonly Fact[]) => all.filter(({ $case }) => $case === 'approvalDecided').length;
  const written = await eventually(facts, (all) => decided(all) === 3);
  const changes = written.flatMap((fact) => (fact.$case === 'policyChanged' ? [fact.value] : []));
  expect(changes.map(({ actor, approvalId }) => [actor, approvalId])).toEqual([
    ['agent', undefined],
    ['agent', undefined],
    ['owner', approvalId],
    ['owner', undefined],
  ]);
  const before = await auditVerify();
  expect([before.code, before.printed]).toEqual([0, expect.stringContaining('as it was written')]);

  await policyRole.query('update policies set daily_limit_usd_micros = $2, version = version + 1 where agent_id = $1', [
    agentId,
    10n ** 15n,
  ]);
  const loosened = await publish({
    $case: 'policyChanged',
    value: { changes: limit('515', '1000000000'), actor: 'agent' },
  });
  const unsigned = await auditVerify();
  expect([unsigned.code, unsigned.printed]).toEqual([
    1,
    expect.stringMatching(`^UNSIGNED event: .*${loosened}.*: loosened dailyLimitInUsd without an approval\n`),
  ]);

  const reused = await publish({
    ...written.find(({ $case, value }) => $case === 'policyChanged' && value.approvalId)!,
  });
  const owned = await publish({ $case: 'memberChanged', value: { ownerId: newId(), role: 'owner', action: 'added' } });
  const note = { operator: `owner ${ownerId}`, reason: 'by the owner of the agent', operationId: '' };
  await publish({ $case: 'operatorActed', value: { ...note, action: 'freeze' } });
  const ended = await publish({ $case: 'operatorActed', value: { ...note, action: 'unfreeze' } });
  const { printed } = await auditVerify();
  for (const [eventId, reason] of [
    [reused, 'its approval was used before'],
    [owned, 'an owner without an applied claim'],
    [ended, "ended its owner's freeze without an approval"],
  ]) {
    expect(printed).toMatch(new RegExp(`^UNSIGNED event: .*${eventId}.*${reason}`, 'm'));
  }
});
