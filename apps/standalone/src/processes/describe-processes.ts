import type { PostgresConnection } from '@agent-wallet/platform';
import { connect } from 'node:net';
import type { RunningStandalone } from '../start-standalone.js';

const COLUMN = 22;
const PATIENCE_MS = 2_000;

const line = (name: string, text: string) => `${name.padEnd(COLUMN)} ${text}`;

/** Where each process answers, and what the events go through. Brokers are `host:port`; none means Postgres. */
export async function describeProcesses(
  { services }: Pick<RunningStandalone, 'services'>,
  { host, port, database }: PostgresConnection,
  brokers: readonly string[],
): Promise<string[]> {
  const processes = Object.entries(services).map(([service, { address, operatorAddress }]) =>
    line(service, operatorAddress === undefined ? address : `${address}, for operators ${operatorAddress}`),
  );
  return [
    ...processes,
    line('Database', `${host}:${port}/${database}`),
    line('Events', brokers.length === 0 ? 'through Postgres (KAFKA_BROKERS is not set)' : await streamLine(brokers)),
  ];
}

async function streamLine(brokers: readonly string[]): Promise<string> {
  const named = `through Kafka at ${brokers.join(', ')}`;
  if ((await Promise.all(brokers.map(answers))).includes(true)) return named;
  return `${named}: no broker answers there. Everything works, and events wait in the outboxes until one does`;
}

function answers(broker: string): Promise<boolean> {
  const colon = broker.lastIndexOf(':');
  return new Promise((resolve) => {
    const socket = connect({ host: broker.slice(0, colon), port: Number(broker.slice(colon + 1)) });
    const end = (isUp: boolean) => {
      socket.destroy();
      resolve(isUp);
    };
    socket.setTimeout(PATIENCE_MS, () => end(false));
    socket.once('connect', () => end(true)).once('error', () => end(false));
  });
}
