// Makes the topics that deploy/kafka/topics.json names.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { ensureInstalled } from '../running/install.mjs';
import { root, run } from '../running/process.mjs';

/** The plan of the repository. */
export const TOPICS_FILE = path.join('deploy', 'kafka', 'topics.json');

/**
 * Creates what is missing and says what is different. Resolves to whether everything is as planned. The brokers are
 * those of the services' own settings; without any, the one of `npm run kafka -- start`.
 */
export async function makeTopics({ port }, { file, replication }) {
  await ensureInstalled();
  const { code } = await run([process.execPath, path.join(root, 'tools', 'build.mjs')], { capture: true });
  if (code !== 0) throw new Error('The build failed: npm run build says why.');
  const { ensureTopics, EVENT_STREAM_VARIABLES, eventStreamSettings, withReplication } =
    await import('@agent-wallet/events');
  const { createLogger, readSettings } = await import('@agent-wallet/platform');
  const environment = { ...process.env, KAFKA_BROKERS: process.env.KAFKA_BROKERS || `127.0.0.1:${port}` };
  const stream = eventStreamSettings(readSettings(EVENT_STREAM_VARIABLES, environment));
  const { topics } = JSON.parse(await readFile(path.resolve(root, file ?? TOPICS_FILE), 'utf8'));
  const plans = replication === undefined ? topics : withReplication(topics, replicationOf(replication));
  const { created, differences } = await ensureTopics(stream, plans, createLogger('topics', 'error'));
  for (const { name, partitions, replication: copies } of plans) {
    const what = created.includes(name) ? 'created' : 'there';
    console.log(`${name}: ${what}, ${partitions} partitions, ${copies} ${copies === 1 ? 'copy' : 'copies'}`);
  }
  for (const difference of differences) console.error(`DIFFERENT ${difference}`);
  return differences.length === 0;
}

function replicationOf(text) {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1) throw new Error('--replication must be a number of brokers: 1, 3.');
  return number;
}
