// A real broker of a run's own, and topics on it as a deployment has them.
import { ensureTopics, withReplication } from '@agent-wallet/events';
import { newId } from '@agent-wallet/kernel';
import { createLogger } from '@agent-wallet/platform';
import { canRunKafka, openTestKafka } from '@agent-wallet/testing';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { root } from '../running/process.mjs';
import { closing } from '../measuring/closing.mjs';

/** Starts it. @throws Error when this machine cannot run one */
export async function openBroker() {
  if (!canRunKafka()) throw new Error('This machine cannot run a Kafka broker (see above).');
  return closing(await openTestKafka(), (kafka) => kafka.stop());
}

/** Makes topics like those of deploy/kafka/topics.json, with names of their own; resolves to the stream's settings. */
export async function makeStream({ brokers }) {
  const { topics } = JSON.parse(await readFile(path.join(root, 'deploy/kafka/topics.json'), 'utf8'));
  const id = newId();
  const topic = `audit-${id}`;
  const plans = topics.map((plan) => ({ ...plan, name: plan.name.endsWith('.dead') ? `${topic}.dead` : topic }));
  const stream = { kind: 'kafka', brokers: [brokers], topic, consumerGroup: `history-${id}` };
  await ensureTopics(stream, withReplication(plans, 1), createLogger('bench', 'silent'));
  return stream;
}
