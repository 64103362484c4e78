import { eventually } from '@agent-wallet/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { atOnce, statuses } from './harness/responses.js';
import { deploy, type Deployment } from './harness/deployment.js';
import { newRecipient } from './harness/recipient.js';
import { connect } from './harness/sessions.js';
import { usedWhenQuiet } from './harness/spending.js';
import { openSuperuser, type Superuser } from './harness/superuser.js';

// Limits of requests and limits in time, with two of every service.

let deployment: Deployment;
let superuser: Superuser;
let gateways: [string, string];

beforeAll(async () => {
  deployment = await deploy({
    copies: 2,
    environment: {
      // Everyone who comes from here says who they are.
      TRUSTED_PROXIES: '127.0.0.1',
      RATE_LIMIT_IP_PER_MINUTE: '200',
      RATE_LIMIT_AGENT_PER_MINUTE: '200',
      RATE_LIMIT_OTP_START_PER_10_MINUTES: '3',
    },
  });
  superuser = await openSuperuser(deployment);
  gateways = [deployment.url(0), deployment.url(1)];
});

afterAll(async () => {
  await superuser?.close();
  await deployment?.stop();
});

describe('requests at two gateways', () => {
  it('are counted together for a client address', async () => {
    const caller = { address: '198.51.100.7' };
    const answers = await atOnce(210, gateways, (url) => connect(url, 'validate', {}, caller));
    expect(statuses(answers)).toEqual({ 401: 200, 429: 10 });
    const other = await connect(gateways[0], 'validate', {}, { address: '198.51.100.8' });
    expect(other.status).toBe(401);
  });

  it('are counted together for an agent', async () => {
    const { token } = await deployment.agent({});
    const answers = await atOnce(210, gateways, (url, n) =>
      connect(url, 'validate', {}, { address: `198.51.101.${n}`, token }),
    );
    expect(statuses(answers)).toEqual({ 200: 200, 429: 10 });
  });

  it('are counted together for otps asked for and tried', async () => {
    const email = 'asked@agents.example';
    const asked = await atOnce(6, gateways, (url, n) =>
      connect(url, 'start', { email }, { address: `203.0.113.${n}` }),
    );
    // Once a code was mailed, the others may get an id that stands for it.
    const [codes] = await superuser.rows<{ made: number }>(
      `select count(*)::integer as made from gateway.otps where email = '${email}' and alias_of is null`,
    );
    expect(codes!.made).toBe(3);
    expect(asked.filter(({ status }) => status !== 200 && status !== 429)).toEqual([]);
    const { otpId } = asked.find(({ status }) => status === 200)!.body.data;
    const guesses = await atOnce(8, gateways, (url, n) =>
      connect(url, 'complete', { email, otpId, otpCode: '000000' }, { address: `203.0.113.${n}` }),
    );
    // One code in a million is 000000.
    expect(statuses(guesses)).toEqual({ 401: 5, 429: 3 });
  });

  it('for too many OTPs block the client at the other gateway, too', async () => {
    const [email, caller] = ['greedy@agents.example', { address: '192.0.2.1' }];
    const ask = (n: number) => connect(gateways[n % 2]!, 'start', { email }, caller);
    for (let n = 0; n < 3; n += 1) expect((await ask(n)).status).toBe(200);
    for (let n = 3; n < 5; n += 1) {
      const { status, headers } = await ask(n);
      expect([status, Math.ceil(Number(headers.get('retry-after')) / 60)]).toEqual([429, 10]);
    }
  });
});

describe('the 24 hours of a daily limit', () => {
  afterAll(() => superuser.setPolicyClock('clock_timestamp()'));

  /** Lets policy's clock go on from an instant. */
  async function goOnFrom(instant: string): Promise<void> {
    const [row] = await superuser.rows<{ shift: string }>(`select (${instant} - clock_timestamp())::text as shift`);
    await superuser.setPolicyClock(`clock_timestamp() + interval '${row!.shift}'`);
  }

  it('count a transfer until they are over, and not longer', async () => {
    const agent = await deployment.agent({ SOL: 1, USDC: 100 });
    const other = agent.at(gateways[1]);
    const to = newRecipient();
    await deployment.sandbox.faucet(to, 'USDC', 1);
    await agent.patchPolicy({ dailyLimitInUsd: 30 });
    expect((await agent.transfer({ to, amount: 30, mint: 'USDC' })).status).toBe(200);
    expect(await usedWhenQuiet(agent)).toBe(30_000_000n);
    const end = `(select max(settled_at) + interval '24 hours' from policy.reservations where state = 'settled')`;
    const isBefore = async () =>
      (await superuser.rows<{ is_before: boolean }>(`select policy.now() < ${end} as is_before`))[0]!.is_before;
    // The clock goes on: what took longer than the second is asked again.
    const refused = await eventually(
      async () => {
        await goOnFrom(`${end} - interval '1 second'`);
        const answer = await other.transfer({ to, amount: 0.01, mint: 'USDC' });
        return (await isBefore()) ? answer : undefined;
      },
      (answer) => answer !== undefined,
    );
    expect([refused!.status, refused!.body.data.rule]).toEqual([403, 'daily_limit']);
    await goOnFrom(`${end} + interval '1 second'`);
    expect((await other.transfer({ to, amount: 30, mint: 'USDC' })).status).toBe(200);
  });
});
