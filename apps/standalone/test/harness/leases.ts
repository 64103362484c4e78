import pg from 'pg';
import type { Deployment } from './deployment.js';

/** Services whose operations are leased to one of their processes at a time (libs/operations), for 6 s. */
type Worker = 'wallet' | 'swap' | 'prediction';

/**
 * Ends the leases of a service's operations as 6 s without a sign of life end them, once the process that held them is dead.
 * Of several processes of the service, no other may hold an operation now.
 */
export async function endLeases(deployment: Deployment, service: Worker): Promise<void> {
  const { host, port, user, password } = deployment.infrastructure.postgres;
  const { database } = deployment.infrastructure.databases[service];
  const client = new pg.Client({ host, port, user, password: password.reveal(), database });
  await client.connect();
  try {
    await client.query(`update ${service}.operations set due_at = clock_timestamp() where due_at > clock_timestamp()`);
  } finally {
    await client.end();
  }
}

/** Resolves once the first process of a service has killed itself, and is back with nothing left to wait for. */
export async function crashAndReturn(deployment: Deployment, service: Worker): Promise<void> {
  const how = await deployment.ended(`${service}-0`);
  if (how !== 'SIGKILL') throw new Error(`${service}-0 ended with ${how}`);
  await endLeases(deployment, service);
  await deployment.restart(`${service}-0`);
}
