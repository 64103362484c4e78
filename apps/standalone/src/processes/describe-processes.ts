import { type EventStreamSettings, type KafkaSettings, missingTopics } from '@agent-wallet/events';
import { createLogger, type PostgresConnection } from '@agent-wallet/platform';
import path from 'node:path';
import type { RunningStandalone } from '../start-standalone.js';

const COLUMN = 22;

const line = (name: string, text: string) => `${name.padEnd(COLUMN)} ${text}`;

/** Describes the addresses of all processes, and the carrier of the events. */
export async function describeProcesses(
  { services }: { readonly services: Partial<RunningStandalone['services']> },
  { host, port, database }: Pick<PostgresConnection, 'host' | 'port' | 'database'>,
  stream: EventStreamSettings,
): Promise<string[]> {
  const processes = Object.entries(services).map(([service, { address, operatorAddress }]) =>
    line(service, operatorAddress === undefined ? address : `${address}, for operators ${operatorAddress}`),
  );
  return [
    ...processes,
    line('Database', `${host}:${port}/${database}`),
    line('Events', stream.kind === 'kafka' ? await streamLine(stream) : 'through Postgres (KAFKA_BROKERS is not set)'),
  ];
}

/** Describes where callers find certificates: one for each service, and `ops`; docs/grpcurl.md explains their use. */
export function certificatesLine(dataDir: string): string {
  return line('Certificates', `${path.resolve(dataDir, 'certificates')}: ca.pem, and <name>.pem with <name>.key`);
}

/** Describes the event stream. All processes start without a broker or topics as well: both may come later. */
async function streamLine(stream: KafkaSettings): Promise<string> {
  const named = `through Kafka at ${stream.brokers.join(', ')}`;
  try {
    const missing = await missingTopics(stream, createLogger('processes', 'silent'));
    if (missing.length === 0) return named;
    return `${named}: there is no topic ${missing.join(', ')}. Make it with npm run kafka -- topics; until then events wait in the outboxes`;
  } catch {
    return `${named}: no broker answers there as it should. Everything works, and events wait in the outboxes until one does`;
  }
}
