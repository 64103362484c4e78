import { newId } from '@agent-wallet/kernel';
import { eventually } from '@agent-wallet/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { generateKeyPairSync } from 'node:crypto';
import { rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { AgentClient, type ClientResponse, type TransferData } from '../src/index.js';
import { atOnce, statuses } from './harness/responses.js';
import { type Deployment, shareDeployment } from './harness/deployment.js';
import { eventsOf, policyChangesOf, revisionsOfTransfers, untilRecorded } from './harness/event-stream.js';
import { impersonate } from './harness/impostor.js';
import { newRecipient, received } from './harness/recipient.js';
import { agentIdOf, connect, keyIdOf } from './harness/sessions.js';
import { transfersOf, usedWhenQuiet } from './harness/spending.js';
import { openSuperuser, type Superuser } from './harness/superuser.js';

// Two of every service. The n-th gateway knows the n-th wallet, and so on: only the database is common to both.

let deployment: Deployment;
let superuser: Superuser;

beforeAll(async () => {
  deployment = await shareDeployment({ copies: 2 });
  superuser = await openSuperuser(deployment);
});

afterAll(async () => {
  await superuser?.close();
});

/** The same agent at both gateways, with money, and a recipient. */
async function agentAtBoth(usdc = 1_000): Promise<{ both: [AgentClient, AgentClient]; to: string }> {
  const agent = await deployment.agent({ SOL: 1, USDC: usdc });
  const to = newRecipient();
  await deployment.sandbox.faucet(to, 'USDC', 1);
  return { both: [agent, agent.at(deployment.url(1))], to };
}

const isFresh = ({ status, headers }: ClientResponse<TransferData>) =>
  status === 200 && headers.get('idempotency-status') === 'fresh';

describe('an idempotency key at two gateways', () => {
  it.each([2, 50])('has one effect in %d requests at once, and one fresh answer', async (count) => {
    const { both, to } = await agentAtBoth();
    const order = { to, amount: 5, mint: 'USDC' };
    const answers = await atOnce(count, both, (agent) => agent.transfer(order, 'the-key'));
    const [fresh, ...moreFresh] = answers.filter(isFresh);
    expect(moreFresh).toEqual([]);
    for (const answer of answers.filter((each) => each !== fresh)) {
      if (answer.status === 409) expect(answer.body.data.code).toBe('IDEMPOTENCY_IN_PROGRESS');
      else expect(answer.body.data).toEqual({ cached: true, originalResponse: fresh!.body.data });
    }
    for (const agent of both) {
      const { status, body } = await agent.transfer(order, 'the-key');
      expect([status, body.data]).toEqual([200, { cached: true, originalResponse: fresh!.body.data }]);
    }
    expect(await received(deployment, to)).toBe(5_000_000n);
  });

  it('refuses another body at either', async () => {
    const { both, to } = await agentAtBoth();
    expect((await both[0].transfer({ to, amount: 1, mint: 'USDC' }, 'k')).status).toBe(200);
    expect((await both[1].transfer({ to, amount: 2, mint: 'USDC' }, 'k')).status).toBe(422);
  });
});

describe('limits at two gateways, wallets and policies', () => {
  it('let exactly 10 of 50 parallel transfers through', async () => {
    const { both, to } = await agentAtBoth();
    expect((await both[0].patchPolicy({ dailyLimitInUsd: 50 })).status).toBe(200);
    const answers = await atOnce(50, both, (agent) => agent.transfer({ to, amount: 5, mint: 'USDC' }));
    expect(statuses(answers)).toEqual({ 200: 10, 403: 40 });
    expect(await received(deployment, to)).toBe(50_000_000n);
    expect(await usedWhenQuiet(both[1])).toBe(50_000_000n);
  });

  it('hold at the other from the answer of a PATCH on', async () => {
    const { both, to } = await agentAtBoth();
    const [one, other] = both;
    for (const [limit, status] of [[4, 403] as const, [5, 200] as const]) {
      expect((await one.patchPolicy({ maxSingleTransactionInUsd: limit })).status).toBe(200);
      expect((await other.transfer({ to, amount: 5, mint: 'USDC' })).status).toBe(status);
    }
    expect((await other.patchPolicy({ allowedRecipients: [newRecipient()] })).status).toBe(200);
    const refused = await one.transfer({ to, amount: 5, mint: 'USDC' });
    expect([refused.status, refused.body.data.rule]).toEqual([403, 'recipient_not_allowed']);
  });

  it('let the whole balance go once when it is sent at both at once', async () => {
    const { both, to } = await agentAtBoth(40);
    const answers = await atOnce(2, both, (agent) => agent.transfer({ to, amount: 40, mint: 'USDC' }));
    expect(statuses(answers)).toEqual({ 200: 1, 400: 1 });
    expect(await received(deployment, to)).toBe(40_000_000n);
    expect(await usedWhenQuiet(both[0])).toBe(40_000_000n);
  });
});

describe('a session at two gateways', () => {
  it('begins at one with the code of the other, once', async () => {
    const email = 'both@agents.example';
    const { otpId } = (await connect(deployment.url(0), 'start', { email })).body.data;
    const body = { email, otpId, otpCode: await deployment.sandbox.otp(email) };
    const answers = await atOnce(4, [deployment.url(0), deployment.url(1)], (url) => connect(url, 'complete', body));
    expect(statuses(answers)).toEqual({ 200: 1, 401: 3 });
  });

  it('is over at the other at once when it was ended or replaced at one', async () => {
    const { token } = await deployment.agent({});
    const replaced = await connect(deployment.url(0), 'refresh', {}, { token });
    expect(replaced.status).toBe(200);
    const next = { token: replaced.body.data.sessionToken };
    expect((await connect(deployment.url(1), 'validate', {}, { token })).status).toBe(401);
    expect((await connect(deployment.url(1), 'validate', {}, next)).status).toBe(200);
    expect((await connect(deployment.url(1), 'logout', {}, next)).status).toBe(200);
    expect((await connect(deployment.url(0), 'validate', {}, next)).status).toBe(401);
  });

  it('is signed with a key that rotates under both', async () => {
    const { token } = await deployment.agent({});
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const file = path.join(deployment.infrastructure.secrets.jwtKeysPath, '0002.pem');
    await writeFile(`${file}.draft`, privateKey.export({ type: 'pkcs8', format: 'pem' }));
    await rename(`${file}.draft`, file);
    let current = token;
    const refresh = async () => {
      const { status, body } = await connect(deployment.url(0), 'refresh', {}, { token: current });
      expect(status).toBe(200);
      current = body.data.sessionToken;
      return keyIdOf(current);
    };
    await eventually(refresh, (keyId) => keyId === '0002');
    expect((await connect(deployment.url(1), 'validate', {}, { token: current })).status).toBe(200);
  });
});

describe('two signers', () => {
  it('make one key for an agent when both are asked at once', async () => {
    const signers = await Promise.all([0, 1].map((copy) => impersonate(deployment, 'wallet', 'signer', copy)));
    for (let round = 0; round < 5; round += 1) {
      const agentId = newId();
      const made = await atOnce(6, signers, (signer) => signer.createKey({ agentId }));
      expect(new Set(made.map(({ address }) => address)).size).toBe(1);
    }
    for (const signer of signers) signer.close();
  });

  it.each([
    [0, 1],
    [1, 0],
  ])('sign with the keys of each other: made through %d, used through %d', async (one, other) => {
    const email = `made-at-${one}@agents.example`;
    const agent = await AgentClient.logIn(deployment.url(one), deployment.sandbox, email);
    await deployment.sandbox.faucet(agent.address, 'SOL', 1);
    const to = newRecipient();
    expect((await agent.at(deployment.url(other)).transfer({ to, amount: 0.1 })).status).toBe(200);
    expect(await deployment.sandbox.balanceRaw(to, 'SOL')).toBe(100_000_000n);
  });
});

describe('the relays of two replicas', () => {
  it('publish each event once and in order, and history records it so', async () => {
    const { both, to } = await agentAtBoth();
    const answers = await atOnce(20, both, async (agent, n) => {
      expect((await agent.patchPolicy({ dailyLimitInUsd: 100 + n })).status).toBe(200);
      return agent.transfer({ to, amount: 1, mint: 'USDC' });
    });
    expect(statuses(answers)).toEqual({ 200: 20 });
    await untilRecorded(superuser);
    const { published, recordedIds } = await eventsOf(superuser, agentIdOf(both[0]));
    expect(new Set(recordedIds).size).toBe(recordedIds.length);
    expect(recordedIds).toEqual(published.map(({ eventId }) => eventId));
    const revisions = [...revisionsOfTransfers(published).values()];
    expect(revisions).toEqual(Array(20).fill([1, 2, 3]));
    const limits = policyChangesOf(published).flat();
    expect(limits.slice(1).map(({ before }) => before)).toEqual(limits.slice(0, -1).map(({ after }) => after));
    expect(limits).toHaveLength(20);
    const records = await transfersOf(both[1]);
    expect(records.map(({ status }) => status)).toEqual(Array(20).fill('confirmed'));
  });
});
