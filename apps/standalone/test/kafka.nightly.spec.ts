import { canRunKafka, where, eventually, type TestKafka } from '@agent-wallet/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { playDay } from '../src/demo/day.js';
import { describeProcesses } from '../src/processes/describe-processes.js';
import type { AgentClient } from '../src/index.js';
import { deploy, type Deployment } from './harness/deployment.js';
import { eventsOf, revisionsOfTransfers, untilRecorded } from './harness/event-stream.js';
import { crashAndReturn } from './harness/leases.js';
import { newRecipient } from './harness/recipient.js';
import { agentIdOf } from './harness/sessions.js';
import { transfersOf, usedWhenQuiet } from './harness/spending.js';
import { openSuperuser, type Superuser } from './harness/superuser.js';
import { openBroker } from './harness/test-broker.js';

// Every service over a real broker. DEPLOYMENT_KAFKA=1 brings the other suites there, too: docs/kafka.md.

const describeWithKafka = where(describe, { name: 'Kafka (Java 17 and Maven)', isMet: canRunKafka() });
const ONE_USDC = 1_000_000n;
const RECORDED_WITHIN_MS = 60_000;

describeWithKafka('a deployment over Kafka', () => {
  let kafka: TestKafka;
  let deployment: Deployment;
  let superuser: Superuser;

  beforeAll(async () => {
    kafka = await openBroker();
    deployment = await deploy({ kafka: kafka.brokers });
    superuser = await openSuperuser(deployment);
  });

  afterAll(async () => {
    await superuser?.close();
    await deployment?.stop();
    await kafka?.stop();
  });

  async function agentAndRecipient(): Promise<{ agent: AgentClient; to: string }> {
    const agent = await deployment.agent({ SOL: 1, USDC: 100 });
    const to = newRecipient();
    await deployment.sandbox.faucet(to, 'USDC', 1);
    return { agent, to };
  }

  /** Asks until the answer is final, as skill.md tells: the same key while the outcome is unknown. */
  const send = (agent: AgentClient, to: string, key: string) =>
    eventually(
      () => agent.transfer({ to, amount: 1, mint: 'USDC' }, key),
      ({ status }) => ![202, 409].includes(status),
      60_000,
    );

  /** So many transfers of one dollar: on chain, in the policy's sums, in the stream and in history. */
  async function expectExactly(count: number, agent: AgentClient, to: string): Promise<void> {
    expect(await deployment.sandbox.balanceRaw(to, 'USDC')).toBe(ONE_USDC + BigInt(count) * ONE_USDC);
    expect(await usedWhenQuiet(agent)).toBe(BigInt(count) * ONE_USDC);
    await untilRecorded(superuser, RECORDED_WITHIN_MS);
    const { published, recordedIds } = await eventsOf(superuser, agentIdOf(agent));
    expect([...revisionsOfTransfers(published).values()]).toEqual(Array(count).fill([1, 2, 3]));
    expect(recordedIds).toEqual(published.map(({ eventId }) => eventId));
    expect((await transfersOf(agent)).map(({ status }) => status)).toEqual(Array(count).fill('confirmed'));
  }

  it('tells who starts processes which topics are missing, and what makes them', async () => {
    const linesFor = (topic: string) => {
      const stream = { kind: 'kafka', brokers: kafka.brokers.split(','), topic, consumerGroup: 'history' } as const;
      return describeProcesses({ services: {} }, { host: 'h', port: 1, database: 'd' }, stream);
    };
    expect((await linesFor('audit.v1')).at(-1)).toMatch(/^Events +through Kafka at [\d.:]+$/);
    const missing = /there is no topic audit\.v2, audit\.v2\.dead\. Make it with npm run kafka -- topics;/;
    expect((await linesFor('audit.v2')).at(-1)).toMatch(missing);
  });

  it('plays the day of the demo', async () => {
    const said: string[] = [];
    await playDay({ baseUrl: deployment.url(), sandbox: deployment.sandbox, say: (line) => said.push(line) });
    expect(said.length).toBeGreaterThan(5);
    await untilRecorded(superuser, RECORDED_WITHIN_MS);
    expect(await superuser.rows('select from events.log')).toEqual([]);
  });

  it('records a transfer once whose wallet dies before it publishes', async () => {
    const { agent, to } = await agentAndRecipient();
    await deployment.crashAt('wallet-0', 'transfer.before-publishing');
    const first = agent.transfer({ to, amount: 1, mint: 'USDC' }, 'the-key');
    await crashAndReturn(deployment, 'wallet');
    expect((await first).status).toBeLessThan(500);
    expect((await send(agent, to, 'the-key')).status).toBe(200);
    await expectExactly(1, agent, to);
  });

  it('records every transfer once while history is killed and the broker is away', async () => {
    const count = 20;
    const { agent, to } = await agentAndRecipient();
    const sending = Promise.all(Array.from({ length: count }, (_, n) => send(agent, to, `key-${n}`)));
    await deployment.kill('history-0');
    await kafka.kill();
    expect((await sending).map(({ status }) => status)).toEqual(Array(count).fill(200));
    await deployment.restart('history-0');
    await kafka.restart();
    await expectExactly(count, agent, to);
  });
});
