import { type Checkpoint, isGenuine, LogVerifier, type Verdict } from '@agent-wallet/audit';
import { toBase58 } from '@agent-wallet/contracts/audit';
import { runOps } from '@agent-wallet/ops';
import { eventually } from '@agent-wallet/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type AgentClient, callJson, type Envelope } from '../src/index.js';
import { deploy, type Deployment } from './harness/deployment.js';
import { newRecipient } from './harness/recipient.js';
import { agentIdOf } from './harness/sessions.js';
import { openSuperuser, type Superuser } from './harness/superuser.js';

const PROGRAM = path.join(import.meta.dirname, '..', '..', 'ops', 'dist', 'audit.js');
const CONFIRMED = 'agentwallet.operation.confirmed.v1';

/** An answer of `GET /wallets/me/history/proof`. */
interface Proof {
  readonly agentId: string;
  readonly events: readonly { eventId: string; sequence: number; type: string; occurredAt: string; payload: string }[];
  readonly chain: readonly { eventId: string; hash: string; previousHash: string }[];
  readonly checkpoint: { size: number; rootHash: string; signature: string; keyId: string; signedAt: string } | null;
  readonly hasMore: boolean;
  readonly lastEventId: string | null;
}

let deployment: Deployment;
let superuser: Superuser;
let directory: string;
let agent: AgentClient;
let other: AgentClient;
let transactionId: string;
/** The signer's, as its own table has it. */
let keyId: string;
let pages: readonly Proof[];

beforeAll(async () => {
  deployment = await deploy({ environment: { CHECKPOINT_INTERVAL_SECONDS: '1' } });
  superuser = await openSuperuser(deployment);
  directory = await mkdtemp(path.join(tmpdir(), 'audit-'));
  [agent, other] = [await deployment.agent(), await deployment.agent()];
  await other.transfer({ to: newRecipient(), amount: 0.01 });
  const { status, body } = await agent.transfer({ to: newRecipient(), amount: 0.1 });
  expect(status).toBe(200);
  transactionId = body.data.transactionId!;
  pages = await eventually(() => allPages(agent), isSigned);
  const key = "select public_key from signer.keys where agent_id = '00000000-0000-0000-0000-000000000004'";
  keyId = toBase58((await superuser.rows<{ public_key: Buffer }>(key))[0]!.public_key);
});

afterAll(async () => {
  await superuser?.close();
  await deployment?.stop();
  if (directory) await rm(directory, { recursive: true });
});

const proof = ({ baseUrl, token }: AgentClient, query: string) =>
  callJson<Envelope<Proof>>(`${baseUrl}/wallets/me/history/proof?${query}`, {
    headers: { authorization: `Bearer ${token}` },
  });

/** The whole chain of an agent, two events a page. */
async function allPages(of: AgentClient): Promise<Proof[]> {
  const all: Proof[] = [];
  for (let after = ''; ;) {
    const { body } = await proof(of, `limit=2${after}`);
    all.push(body.data);
    if (!body.data.hasMore) return all;
    after = `&after=${body.data.lastEventId}`;
  }
}

/** Whether a transfer is in the log, and all of the log is signed. */
function isSigned(all: readonly Proof[]): boolean {
  const events = all.flatMap((page) => page.events);
  return events.some(({ type }) => type === CONFIRMED) && all.at(-1)?.checkpoint?.size === events.length;
}

function checkpointOf({ agentId, checkpoint }: Proof): Checkpoint {
  const { size, rootHash, signature, keyId, signedAt } = checkpoint!;
  const bytes = { rootHash: Buffer.from(rootHash, 'hex'), signature: Buffer.from(signature, 'base64') };
  return { scope: `agent:${agentId}`, size, ...bytes, keyId, signedAtMs: Date.parse(signedAt) };
}

/** What an agent comes to that has nothing but its pages and the operator's key. */
async function verdictOf(all: readonly Proof[], key: string): Promise<Verdict> {
  const checkpoints = [{ kind: 'checkpoint', ...checkpointOf(all.at(-1)!) }] as const;
  const verifier = await LogVerifier.create({ batches: undefined, checkpoints, keyId: key });
  for (const { agentId, events, chain } of all)
    for (const [n, { eventId, sequence, occurredAt, payload }] of events.entries()) {
      const [hash, previousHash] = [chain[n]!.hash, chain[n]!.previousHash].map((hex) => Buffer.from(hex, 'hex'));
      const facts = { eventId, agentId, sequence, occurredAtMs: Date.parse(occurredAt) };
      const bytes = { hash: hash!, previousHash: previousHash!, payload: Buffer.from(payload, 'base64') };
      verifier.add({ kind: 'event', position: undefined, ...facts, ...bytes });
    }
  return verifier.finish();
}

/** The program, as a process of its own. */
function auditVerify(...args: string[]): Promise<{ code: number; printed: string }> {
  const { host, port, user, password } = deployment.infrastructure.postgres;
  const { database } = deployment.infrastructure.databases.history;
  const env = {
    DATABASE_URL: `postgres://${user}:${encodeURIComponent(password.reveal())}@${host}:${port}/${database}`,
  };
  return new Promise((resolve) => {
    execFile(process.execPath, [PROGRAM, ...args], { env }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, printed: stdout + stderr }),
    );
  });
}

async function reconcile(): Promise<{ code: number; printed: string }> {
  const lines: string[] = [];
  const args = ['history', 'reconcile', '--older-than', '0s'];
  const code = await runOps(args, deployment.operatorEnvironment(), (line) => lines.push(line));
  return { code, printed: lines.join('\n') };
}

/** What only a superuser can do: no trigger of the log runs. */
async function tamper(sql: string, ...values: unknown[]): Promise<void> {
  await superuser.rows('alter table history.events disable trigger user');
  await superuser.rows(sql, ...values);
  await superuser.rows('alter table history.events enable always trigger events_are_append_only');
}

describe('the proof of a history', () => {
  it('is a chain from the first event on, signed with the key of the signer', async () => {
    const events = pages.flatMap((page) => page.events);
    expect(pages.length).toBeGreaterThan(1);
    expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, n) => n + 1));
    expect(await isGenuine(checkpointOf(pages.at(-1)!))).toBe(true);
    expect(await verdictOf(pages, keyId)).toMatchObject({
      events: events.length,
      agents: 1,
      unsigned: 0,
      findings: [],
    });
  });

  it('does not stand when a byte of it is another, or its key is', async () => {
    const [{ payload }] = pages[1]!.events as [Proof['events'][0]];
    const bytes = Buffer.from(payload, 'base64');
    bytes[bytes.length - 1]! ^= 1;
    const altered = JSON.parse(JSON.stringify(pages).replace(payload, bytes.toString('base64'))) as Proof[];
    expect((await verdictOf(altered, keyId)).findings[0]).toMatchObject({ problem: 'altered', sequence: 3 });
    const foreign = toBase58(Buffer.alloc(32, 7));
    expect((await verdictOf(pages, foreign)).findings[0]).toMatchObject({ problem: 'forged', record: 'checkpoint' });
  });

  it('is of its own agent alone', async () => {
    const theirs = await eventually(() => allPages(other), isSigned);
    expect(new Set(theirs.map(({ agentId }) => agentId))).toEqual(new Set([agentIdOf(other)]));
    const ours = new Set(pages.flatMap((page) => page.events.map(({ eventId }) => eventId)));
    expect(theirs.flatMap((page) => page.events).filter(({ eventId }) => ours.has(eventId))).toEqual([]);
    expect((await proof(other, `after=${pages[0]!.lastEventId}`)).status).toBe(404);
  });

  it('is checked by the program from saved pages, with the key', async () => {
    const files = await Promise.all(
      pages.map(async (page, n) => {
        const file = path.join(directory, `page-${n}.json`);
        await writeFile(file, JSON.stringify({ success: true, data: page }));
        return file;
      }),
    );
    const { code, printed } = await auditVerify('--key', keyId, ...files);
    expect([code, printed]).toEqual([
      0,
      expect.stringMatching(/^as it was written: .* 0 events are not signed yet\n$/),
    ]);
    expect(await auditVerify('--key', keyId, files[0]!, ...files.slice(2))).toMatchObject({ code: 1 });
  });
});

describe('reconcile', () => {
  it('agrees with a history that has all, and names what was changed in it by hand', async () => {
    const agreed = await reconcile();
    expect([agreed.code, agreed.printed]).toEqual([
      0,
      expect.stringMatching(/^Compared operations .*: \d+\.\nHistory agrees\.$/),
    ]);
    await superuser.rows("update history.transactions set status = 'failed' where id = $1", transactionId);
    const differs = await reconcile();
    expect([differs.code, differs.printed]).toEqual([1, expect.stringContaining('HISTORY DIFFERS in 1,')]);
    expect(differs.printed).toMatch(
      new RegExp(`\nOTHER STATUS  ${transactionId}  transfer  .* service: confirmed .*, history: failed`),
    );
    await superuser.rows('delete from history.transactions where id = $1', transactionId);
    expect((await reconcile()).printed).toContain(`\nMISSING  ${transactionId}  transfer`);
  });
});

describe('npm run audit:verify, beside services that go on', () => {
  it('passes the log as it is, signed by the key that the signer has', async () => {
    const { code, printed } = await auditVerify('--key', keyId);
    expect([code, printed]).toEqual([0, expect.stringMatching(/^as it was written: \d+ events of \d+ agents/)]);
    expect((await auditVerify('--key', toBase58(Buffer.alloc(32, 7)))).printed).toContain('FORGED checkpoint');
  });

  it('names what a superuser alters, and what he deletes', async () => {
    const { eventId } = pages.flatMap((page) => page.events).find(({ type }) => type === CONFIRMED)!;
    const flip =
      'update history.events set payload = set_byte(payload, 80, get_byte(payload, 80) # 1) where event_id = $1';
    await tamper(flip, eventId);
    const altered = await auditVerify();
    expect([altered.code, altered.printed]).toEqual([1, expect.stringMatching(/^ALTERED event: position \d+, event /)]);
    expect(altered.printed.split('\n')[0]).toContain(eventId);
    await tamper(flip, eventId);
    expect((await auditVerify()).code).toBe(0);
    const place = 'select position, agent_seq from history.events where event_id = $1';
    const [row] = await superuser.rows<{ position: string; agent_seq: string }>(place, eventId);
    await tamper('delete from history.events where event_id = $1', eventId);
    const missing = await auditVerify();
    expect([missing.code, missing.printed.split('\n')[0]]).toEqual([
      1,
      `MISSING event: position ${row!.position}, agent ${agentIdOf(agent)}, number ${row!.agent_seq}: ` +
        `number ${row!.agent_seq} of the agent is not there`,
    ]);
  });
});
