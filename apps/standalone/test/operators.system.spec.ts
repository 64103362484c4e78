import { auditV1 } from '@agent-wallet/contracts';
import { NIL_UUID } from '@agent-wallet/kernel';
import { runOps } from '@agent-wallet/ops';
import { eventually } from '@agent-wallet/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AgentClient } from '../src/client/agent-client.js';
import { type Deployment, shareDeployment } from './harness/deployment.js';
import { newRecipient } from './harness/recipient.js';
import { openSuperuser, type Superuser } from './harness/superuser.js';

let deployment: Deployment;

let superuser: Superuser;

beforeAll(async () => {
  deployment = await shareDeployment({ copies: 2 });
  superuser = await openSuperuser(deployment);
});

afterAll(async () => {
  await superuser?.close();
});

async function ops(...args: string[]): Promise<{ code: number; printed: string }> {
  const lines: string[] = [];
  const code = await runOps(args, deployment.operatorEnvironment(), (line) => lines.push(line));
  return { code, printed: lines.join('\n') };
}

const BECAUSE = ['--reason', 'the key is in the wrong hands', '--operator', 'ann'];

async function newAgent(): Promise<{ agent: AgentClient; id: string }> {
  const agent = await deployment.agent({ SOL: 1, USDC: 100 });
  const [, payload] = agent.token.split('.');
  return { agent, id: (JSON.parse(Buffer.from(payload!, 'base64url').toString()) as { sub: string }).sub };
}

/** Transactions that gave a new agent its money. */
const FUNDINGS = 2;

const order = () => ({ to: newRecipient(), amount: 0.1 });
const again = (agent: AgentClient) => AgentClient.logIn(deployment.url(1), deployment.sandbox, agent.email);

/** What the audit log has of operators: of an agent, or of what concerns all of them. */
async function acts(agentId = NIL_UUID): Promise<auditV1.OperatorActed[]> {
  const events = await superuser.rows<{ payload: Buffer }>(
    'select payload from history.events where agent_id = $1 order by position',
    agentId,
  );
  return events
    .map(({ payload }) => auditV1.AuditEvent.decode(payload).fact)
    .flatMap((fact) => (fact?.$case === 'operatorActed' ? [fact.value] : []));
}

const actionsOf = async (agentId?: string) => (await acts(agentId)).map(({ action }) => action);

describe('a frozen agent', () => {
  it('is refused at once at every replica, even after a new login, until it is unfrozen; others go on', async () => {
    const [{ agent, id }, { agent: other }] = [await newAgent(), await newAgent()];
    const { code, printed } = await ops('freezes', 'create', id, ...BECAUSE);
    expect([code, printed]).toEqual([
      0,
      expect.stringMatching(/: frozen\. Policy permits nothing more\.\nSessions ended: 1\./),
    ]);
    for (const copy of [0, 1]) expect((await agent.at(deployment.url(copy)).balances()).status).toBe(401);
    const back = await again(agent);
    const refused = await back.transfer(order());
    expect([refused.status, refused.body.data.code, refused.body.data.rule]).toEqual([
      403,
      'POLICY_VIOLATION',
      'frozen',
    ]);
    expect((await other.transfer(order())).status).toBe(200);
    expect((await ops('freezes', 'list')).printed).toContain(`agent ${id}, since`);
    expect((await ops('freezes', 'delete', id, ...BECAUSE)).code).toBe(0);
    expect((await back.transfer(order())).status).toBe(200);
    expect((await ops('freezes', 'list')).printed).toBe('Nothing is frozen.');
    await eventually(
      () => actionsOf(id),
      (actions) => actions.length === 3,
    );
    expect(await acts(id)).toEqual(
      ['freeze', 'revoke_sessions', 'unfreeze'].map((action) => ({
        ...{ action, operator: 'ann', reason: 'the key is in the wrong hands', operationId: '' },
      })),
    );
  });

  it('has nothing permitted after the answer, in a burst of fifty', async () => {
    const { agent, id } = await newAgent();
    // It can pay for all of them: how many are permitted is for the freeze to say.
    const small = () => ({ ...order(), amount: 0.01 });
    const burst = Array.from({ length: 50 }, (_, i) => agent.at(deployment.url(i % 2)).transfer(small()));
    await ops('freezes', 'create', id, ...BECAUSE);
    const landed = () => deployment.sandbox.transactions(agent.address).then((list) => list.length);
    const answers = await Promise.all(burst);
    const answered = (...wanted: number[]) => answers.filter(({ status }) => wanted.includes(status)).length;
    const others = answers.filter(({ status }) => ![200, 202, 401, 403].includes(status));
    expect(others.map(({ status, body }) => [status, body])).toEqual([]);
    // What was permitted before may land after; nothing more is permitted now.
    const count = await eventually(landed, (found) => found >= answered(200) + FUNDINGS);
    expect(count).toBeLessThanOrEqual(answered(200, 202) + FUNDINGS);
  });
});

describe('everything frozen', () => {
  it('stops all agents and ends all sessions, until it is unfrozen', async () => {
    const [{ agent }, { agent: other }] = [await newAgent(), await newAgent()];
    expect((await ops('freezes', 'create', 'all', ...BECAUSE)).printed).toContain('all agents: frozen');
    for (const one of [agent, other]) expect((await one.balances()).status).toBe(401);
    const back = await again(agent);
    expect((await back.transfer(order())).body.data.rule).toBe('frozen');
    expect((await ops('freezes', 'delete', 'all', ...BECAUSE)).code).toBe(0);
    expect((await back.transfer(order())).status).toBe(200);
    await eventually(actionsOf, (actions) => actions.length >= 3);
    expect(await actionsOf()).toEqual(['freeze', 'revoke_sessions', 'unfreeze']);
  });
});

describe('an operation whose outcome is not known', () => {
  it('is listed, explained and sent again; it still happens once', async () => {
    const { agent } = await newAgent();
    const { to, amount } = order();
    await deployment.sandbox.arm({ part: 'chain', fault: 'delay', times: 1, delayMs: 8_000 });
    const answering = agent.transfer({ to, amount }, 'slow');
    const open = async () =>
      /(\S+) {2}transfer {2}submitted/.exec((await ops('operations', 'list', '--open')).printed)?.[1];
    const id = (await eventually(open, (found) => found !== undefined))!;
    const explained = await ops('operations', 'get', id);
    expect(explained.printed).toContain('External state: It is not found. It can land up to block height');
    expect(explained.printed).toContain('Next step:      The same bytes are sent again every two seconds');
    expect((await ops('operations', 'resend', id, ...BECAUSE)).printed).toMatch(/^Sent again: \w{80,}$/);
    await answering;
    await eventually(
      () => agent.transfer({ to, amount }, 'slow'),
      ({ status }) => status === 200,
    );
    expect(await deployment.sandbox.balanceRaw(to, 'SOL')).toBe(100_000_000n);
    const done = await ops('operations', 'resend', id, ...BECAUSE);
    expect([done.code, done.printed]).toEqual([1, expect.stringContaining('is confirmed: there is nothing to send')]);
  });
});
