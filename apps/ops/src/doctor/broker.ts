import { EVENT_STREAM_VARIABLES, eventStreamSettings, missingTopics } from '@agent-wallet/events';
import { createLogger, readSettings, setting } from '@agent-wallet/platform';
import { type Check, defineCheck, fail, ok } from './check.js';

const topics = defineCheck({
  name: 'topics',
  area: 'broker',
  settings: { ...EVENT_STREAM_VARIABLES, KAFKA_BROKERS: setting.text() },
  advice: 'Check KAFKA_BROKERS, KAFKA_TLS and the login of the brokers: docs/runbooks/outbox-stuck.md.',
  async run(_settings, { environment }) {
    const stream = eventStreamSettings(readSettings(EVENT_STREAM_VARIABLES, environment));
    if (stream.kind !== 'kafka') return ok('not in use');
    const missing = await missingTopics(stream, createLogger('doctor', 'silent'));
    if (missing.length === 0) return ok(`${stream.brokers.join(', ')} have the topic ${stream.topic}`);
    return fail(`missing topics: ${missing.join(', ')}`, 'Create them: npm run kafka -- topics (docs/kafka.md).');
  },
});

/** Checks of the event stream's brokers. */
export const BROKER_CHECKS: readonly Check[] = [topics];
