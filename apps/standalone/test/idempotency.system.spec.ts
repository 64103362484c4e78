import { beforeAll, describe, expect, it } from '@jest/globals';
import { type Deployment, shareDeployment } from './harness/deployment.js';
import { newRecipient } from './harness/recipient.js';

let deployment: Deployment;

beforeAll(async () => {
  deployment = await shareDeployment();
});

describe('an idempotency key', () => {
  it('has one effect in fifty parallel requests: one fresh response, the others replays', async () => {
    const agent = await deployment.agent({ SOL: 1 });
    const to = newRecipient();
    const order = { to, amount: 0.01 };
    const answers = await Promise.all(Array.from({ length: 50 }, () => agent.transfer(order, 'the-key')));
    const fresh = answers.filter((a) => a.status === 200 && a.headers.get('idempotency-status') === 'fresh');
    const cached = answers.filter((a) => a.status === 200 && a.body.data.cached === true);
    const running = answers.filter((a) => a.status === 409);
    expect(fresh).toHaveLength(1);
    expect(fresh.length + cached.length + running.length).toBe(50);
    for (const answer of cached) expect(answer.body.data.originalResponse).toEqual(fresh[0]!.body.data);
    expect(await deployment.sandbox.balanceRaw(to, 'SOL')).toBe(10_000_000n);
  });

  it('refuses another body', async () => {
    const agent = await deployment.agent({ SOL: 1 });
    const to = newRecipient();
    expect((await agent.transfer({ to, amount: 0.01 }, 'k')).status).toBe(200);
    const other = await agent.transfer({ to, amount: 0.02 }, 'k');
    expect(other).toMatchObject({ status: 422, body: { data: { code: 'IDEMPOTENCY_MISMATCH' } } });
  });
});
