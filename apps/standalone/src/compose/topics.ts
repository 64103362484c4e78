import {
  ensureTopics,
  EVENT_STREAM_VARIABLES,
  eventStreamSettings,
  type TopicPlan,
  withReplication,
} from '@agent-wallet/events';
import { readSettings, setting, SettingsError } from '@agent-wallet/platform';
import { readFile } from 'node:fs/promises';
import { whenReady } from '../cluster/when-ready.js';
import { runJob } from '../cluster/run-job.js';

const WITHIN_MS = 60_000;

// The topics of a plan (deploy/kafka/topics.json) on one broker. What exists stays; when it differs, that is said.
await runJob('topics', async (logger) => {
  const { TOPICS_PATH, ...read } = readSettings({ TOPICS_PATH: setting.path(), ...EVENT_STREAM_VARIABLES });
  const stream = eventStreamSettings(read);
  if (stream.kind !== 'kafka') throw new SettingsError(['KAFKA_BROKERS is required']);
  const { topics } = JSON.parse(await readFile(TOPICS_PATH, 'utf8')) as { readonly topics: readonly TopicPlan[] };
  const make = () => ensureTopics(stream, withReplication(topics, 1), logger);
  const { created, differences } = await whenReady(make, { withinMs: WITHIN_MS, logger });
  if (differences.length > 0) throw new SettingsError([...differences]);
  logger.info({ event: 'topics.provisioned', created }, 'Topics ready');
});
