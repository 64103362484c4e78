import { eventually } from '@agent-wallet/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { AgentClient } from '../src/index.js';
import { atOnce, statuses, untilFinal } from './harness/responses.js';
import { type Deployment, shareDeployment } from './harness/deployment.js';
import { eventsOf, revisionsOfTransfers, untilRecorded } from './harness/event-stream.js';
import { endLeases } from './harness/leases.js';
import { newRecipient, received } from './harness/recipient.js';
import { agentIdOf } from './harness/sessions.js';
import { depositsOf, transfersOf, usedWhenQuiet } from './harness/spending.js';
import { openSuperuser, type Superuser } from './harness/superuser.js';

// Two of every service, one of which dies and stays dead while the other goes on.

let deployment: Deployment;
let superuser: Superuser;

beforeAll(async () => {
  deployment = await shareDeployment({ copies: 2 });
  superuser = await openSuperuser(deployment);
});

afterAll(async () => {
  await superuser?.close();
});

/** Who died in the present test. */
let dead: string | undefined;

async function kill(name: string): Promise<void> {
  dead = name;
  await deployment.kill(name);
}

afterEach(async () => {
  if (dead) {
    // Also where the test failed before it died.
    await deployment.kill(dead);
    await deployment.restart(dead);
  }
  dead = undefined;
});

const COUNT = 40;

async function agentAtBoth(): Promise<{ both: [AgentClient, AgentClient]; to: string }> {
  const agent = await deployment.agent({ SOL: 1, USDC: 200 });
  const to = newRecipient();
  await deployment.sandbox.faucet(to, 'USDC', 1);
  return { both: [agent, agent.at(deployment.url(1))], to };
}

/** So many transfers of one dollar: on chain, in the policy's sums, in the stream and in history. */
async function expectExactly(count: number, agent: AgentClient, to: string): Promise<void> {
  expect(await received(deployment, to)).toBe(BigInt(count) * 1_000_000n);
  expect(await usedWhenQuiet(agent)).toBe(BigInt(count) * 1_000_000n);
  await untilRecorded(superuser);
  const { published, recordedIds } = await eventsOf(superuser, agentIdOf(agent));
  expect([...revisionsOfTransfers(published).values()]).toEqual(Array(count).fill([1, 2, 3]));
  expect(recordedIds).toEqual(published.map(({ eventId }) => eventId));
  const records = await transfersOf(agent);
  expect(records.map(({ status }) => status)).toEqual(Array(count).fill('confirmed'));
}

/** Here the other wallet waits for the lease to end by itself; elsewhere it is ended. */
const WAITS_FOR_LEASE = 'transfer.after-broadcast';

// Before a signature; signed and kept, but never sent; sent, but not noted; before its first event was published.
describe.each([
  'transfer.after-reservation',
  'transfer.after-persisting',
  WAITS_FOR_LEASE,
  'transfer.before-publishing',
])('a wallet that dies at %s and stays dead', (step) => {
  it('leaves its transfer to the other wallet, which ends it once before the client is answered', async () => {
    const { both, to } = await agentAtBoth();
    dead = 'wallet-0';
    await deployment.crashAt(dead, step);
    let isDead = false;
    const dying = deployment.ended('wallet-0').then(() => {
      isDead = true;
      return step === WAITS_FOR_LEASE ? undefined : endLeases(deployment, 'wallet');
    });
    let count = 0;
    // The wallets take turns: one of these is given to the one that dies of it.
    for (; !isDead; count += 1) {
      const { status, body, headers } = await both[0].transfer({ to, amount: 1, mint: 'USDC' }, `key-${count}`);
      const answer = { code: status, data: body.data, key: headers.get('idempotency-status') };
      expect(answer).toMatchObject({ code: 200, data: { status: 'confirmed' }, key: 'fresh' });
    }
    await dying;
    await expectExactly(count, both[1], to);
  });
});

describe.each(['history', 'gateway', 'policy', 'signer'])('%s, one of two killed in a burst', (service) => {
  it('leaves everything to the other: each transfer is done and recorded once', async () => {
    const { both, to } = await agentAtBoth();
    const sending = atOnce(COUNT, both, async (agent, n) => {
      const order = { to, amount: 1, mint: 'USDC' };
      const first = await agent.transfer(order, `key-${n}`).catch(() => undefined);
      return first?.status === 200 ? first : untilFinal(() => both[1].transfer(order, `key-${n}`));
    });
    await eventually(
      () => received(deployment, to),
      (raw) => raw > 5_000_000n,
    );
    await kill(`${service}-0`);
    expect(statuses(await sending)).toEqual({ 200: COUNT });
    await expectExactly(COUNT, both[1], to);
  });
});

describe('money that comes in while one of two wallets dies', () => {
  it('is in history once, deposit by deposit', async () => {
    const agent = await deployment.agent({});
    const signatures: string[] = [];
    for (let n = 1; n <= 10; n += 1) {
      signatures.push(await deployment.sandbox.faucet(agent.address, n % 2 ? 'SOL' : 'USDC', n));
      if (n === 5) await kill('wallet-0');
    }
    const records = await eventually(
      () => depositsOf(agent),
      (found) => found.filter(({ status }) => status === 'confirmed').length >= signatures.length,
      40_000,
    );
    expect(records.map(({ signature }) => signature).sort()).toEqual(signatures.sort());
    expect(records.map(({ amount }) => Number(amount)).sort((a, b) => a - b)).toEqual(signatures.map((_, n) => n + 1));
    await untilRecorded(superuser);
    expect(await depositsOf(agent)).toEqual(records);
  });
});
