import { runOps } from '@agent-wallet/ops';
import { Authenticator, eventually } from '@agent-wallet/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { AgentClient } from '../src/client/agent-client.js';
import { type Deployment, deploy } from './harness/deployment.js';
import { OWNER_ORIGIN, OwnerConsole } from '../src/testing/owner-console.js';
import { newRecipient } from './harness/recipient.js';
import { openSuperuser, type Superuser } from './harness/superuser.js';

/** Stories of people who lost something, with every service as processes, two of each, and policy's clock advanced. */

let deployment: Deployment;
let superuser: Superuser;

beforeAll(async () => {
  deployment = await deploy({ copies: 2, environment: { CLAIM_DELAY_HOURS: '24' } });
  superuser = await openSuperuser(deployment);
});
afterAll(async () => {
  await superuser?.close();
  await deployment?.stop();
});
afterEach(() => later('0'));

const later = (interval: string) => superuser.setPolicyClock(`clock_timestamp() + interval '${interval}'`);

async function ops(...args: string[]): Promise<string> {
  const lines: string[] = [];
  const code = await runOps(
    [...args, '--reason', 'a support case', '--operator', 'ann'],
    deployment.operatorEnvironment(),
    (line) => lines.push(line),
  );
  expect([code, lines.join('\n')]).toEqual([0, expect.any(String)]);
  return lines.join('\n');
}

/** Owner of an agent, whose claim has taken effect. */
async function ownerOf(agent: AgentClient): Promise<OwnerConsole> {
  const owner = await OwnerConsole.open(deployment);
  const asked = await owner.requestClaim(agent, { keepSessions: true });
  const signed = await owner.approve(asked.body.data.approval);
  expect(signed.body.data.approval.state).toBe('approved');
  await later('25 hours');
  await eventually(
    async () => (await agentsOf(owner)).length,
    (count) => count === 1,
  );
  await later('0');
  return owner;
}

const agentsOf = async (owner: OwnerConsole) =>
  ((await owner.call('/agents')).body.data as unknown as { agents: Array<{ id: string }> }).agents;
const statesOf = async (owner: OwnerConsole, id: string) =>
  (await owner.call(`/approvals/${id}`)).body.data.approval?.state;
const ended = (owner: OwnerConsole, id: string) =>
  eventually(
    () => statesOf(owner, id),
    (state) => state !== 'approved' && state !== 'pending',
  );
const pays = async (agent: AgentClient) => {
  const { status, body } = await agent.transfer({ to: newRecipient(), amount: 0.5 });
  return status === 200 ? 'paid' : (body.data as { rule?: string }).rule;
};
const again = ({ email }: AgentClient) => AgentClient.logIn(deployment.url(1), deployment.sandbox, email);

/** Requests the replacement of lost passkeys, with a session by mail. */
async function recover(owner: OwnerConsole, passkey: Authenticator): Promise<string> {
  await owner.logInByMail();
  const { publicKey } = (await owner.call('/recovery/start', {})).body.data;
  const registration: unknown = JSON.parse(passkey.register(Buffer.from(publicKey.challenge, 'base64url')));
  const asked = await owner.call('/recovery', { registration });
  expect(asked).toMatchObject({ status: 202, body: { data: { approval: { kind: 'recovery', state: 'pending' } } } });
  return asked.body.data.approval.id;
}

describe('a person whose agent’s mailbox was read', () => {
  it('cancels the stranger’s signed claim with a code, and the agent goes on', async () => {
    const agent = await deployment.agent({ SOL: 1 });
    const stranger = await OwnerConsole.open(deployment);
    const asked = await stranger.requestClaim(agent);
    const { id } = (await stranger.approve(asked.body.data.approval)).body.data.approval;
    expect([await statesOf(stranger, id), await agentsOf(stranger)]).toEqual(['approved', []]);
    const console = new OwnerConsole(deployment.url(), deployment.sandbox);
    const { otpId } = (await console.call('/claims/cancel/start', { agentEmail: agent.email })).body.data;
    const otpCode = await deployment.sandbox.otp(agent.email);
    const cancelled = await console.call('/claims/cancel', { agentEmail: agent.email, otpId, otpCode });
    expect(cancelled).toMatchObject({ status: 200, body: { data: { cancelled: 1 } } });
    await later('25 hours');
    expect([await statesOf(stranger, id), await agentsOf(stranger)]).toEqual(['withdrawn', []]);
    await later('0');
    expect(await pays(agent)).toBe('paid');
  });

  it('gets an agent back that a stranger has claimed and frozen: the operator releases it', async () => {
    const agent = await deployment.agent({ SOL: 2 });
    const stranger = await ownerOf(agent);
    const [{ id: agentId }] = (await agentsOf(stranger)) as [{ id: string }];
    expect((await stranger.call(`/agents/${agentId}/freeze`, {})).status).toBe(200);
    expect(await pays(agent)).toBe('frozen');
    expect(await ops('owners', 'release', agentId)).toContain('unless one of them objects');
    await later('71 hours');
    expect([(await agentsOf(stranger)).length, await pays(agent)]).toEqual([1, 'frozen']);
    await later('73 hours');
    await eventually(
      async () => (await agentsOf(stranger)).length,
      (count) => count === 0,
    );
    await later('0');
    expect(await pays(agent)).toBe('paid');
    const owner = await ownerOf(agent);
    expect(await agentsOf(owner)).toMatchObject([{ id: agentId }]);
  });

  it('keeps an agent that an operator wants to release: one signature objects', async () => {
    const agent = await deployment.agent({ SOL: 1 });
    const owner = await ownerOf(agent);
    const [{ id: agentId }] = (await agentsOf(owner)) as [{ id: string }];
    await ops('owners', 'release', agentId);
    const { approvals } = (await owner.call('/approvals?state=pending')).body.data;
    expect(approvals).toMatchObject([{ kind: 'objection', subject: { terms: { act: 'release', operator: 'ann' } } }]);
    expect((await owner.call(`/approvals/${approvals[0]!.id}/reject`, {})).status).toBe(400);
    expect((await owner.approve(approvals[0]!)).body.data.approval.state).toBe('applied');
    await later('73 hours');
    await ops('owners', 'release', agentId);
    await ops('owners', 'release', agentId, '--withdraw');
    expect(await agentsOf(owner)).toMatchObject([{ id: agentId }]);
  });
});

describe('a person who lost the phone', () => {
  it('freezes by mail, replaces the passkey with the operator’s word, and moves the money', async () => {
    const agent = await deployment.agent({ SOL: 2 });
    const owner = await ownerOf(agent);
    const [{ id: agentId }] = (await agentsOf(owner)) as [{ id: string }];
    const found = new Authenticator(OWNER_ORIGIN);
    const recovery = await recover(owner, found);
    expect((await owner.call(`/agents/${agentId}/freeze`, {})).status).toBe(200);
    expect(await pays(agent)).toBe('frozen');
    expect(await ops('recoveries', 'confirm', recovery)).toContain('replaces all others');
    await later('71 hours');
    expect(await statesOf(owner, recovery)).toBe('approved');
    await later('73 hours');
    expect(await ended(owner, recovery)).toBe('applied');
    await later('0');
    Object.assign(owner, { passkey: found });
    expect((await owner.logInByPasskey()).status).toBe(200);
    const asked = await owner.call(`/agents/${agentId}/unfreeze`, {});
    expect((await owner.approve(asked.body.data.approval)).body.data.approval.state).toBe('applied');
    expect(await pays(agent)).toBe('paid');
  });

  it('is not replaced by who reads the mailbox: the owner’s own session rejects that', async () => {
    const owner = await ownerOf(await deployment.agent({ SOL: 1 }));
    const thief = new OwnerConsole(deployment.url(), deployment.sandbox);
    Object.assign(thief, { email: owner.email });
    const recovery = await recover(thief, new Authenticator(OWNER_ORIGIN));
    await ops('recoveries', 'confirm', recovery);
    expect((await owner.call(`/approvals/${recovery}/reject`, {})).body.data.approval.state).toBe('rejected');
    await later('73 hours');
    expect(await statesOf(owner, recovery)).toBe('rejected');
    await later('0');
    expect((await owner.logInByPasskey()).status).toBe(200);
  });

  it('needs no operator with a second owner, whom the person had added', async () => {
    const agent = await deployment.agent({ SOL: 1 });
    const owner = await ownerOf(agent);
    const second = await OwnerConsole.open(deployment);
    const [{ id: agentId }] = (await agentsOf(owner)) as [{ id: string }];
    const path = `/agents/${agentId}/owners`;
    expect((await owner.call(path, { email: 'unknown@example.com' })).status).toBe(400);
    const joining = await owner.call(path, { email: second.email });
    expect((await owner.approve(joining.body.data.approval)).body.data.approval.state).toBe('approved');
    expect((await second.call(path)).status).toBe(404);
    expect((await second.approve(joining.body.data.approval)).body.data.approval.state).toBe('applied');
    const { owners } = (await second.call(path)).body.data as unknown as { owners: Array<{ email: string }> };
    expect(owners.map(({ email }) => email).sort()).toEqual([owner.email, second.email].sort());
    const found = new Authenticator(OWNER_ORIGIN);
    const recovery = await recover(owner, found);
    expect((await second.approve({ id: recovery })).body.data.approval.state).toBe('applied');
    Object.assign(owner, { passkey: found });
    expect((await owner.logInByPasskey()).status).toBe(200);
    const { id: ownerId } = (await second.call('/me')).body.data.owner;
    const leaving = await owner.call(`${path}/${ownerId}`, {}, 'DELETE');
    expect((await owner.approve(leaving.body.data.approval)).body.data.approval.state).toBe('applied');
    expect(await agentsOf(second)).toEqual([]);
    await again(agent);
  });
});
