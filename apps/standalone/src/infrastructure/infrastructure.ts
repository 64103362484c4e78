import {
  createCertificates,
  type CertificatePaths,
  createServiceRoles,
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '@agent-wallet/embedded';
import type { Logger, PostgresConnection, RunningService } from '@agent-wallet/platform';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { makeSecrets, type Secrets } from './secrets.js';

/** Everything that runs here and owns a schema. */
export const SERVICES = ['gateway', 'wallet', 'swap', 'prediction', 'policy', 'signer', 'history'] as const;

/** Those whose schema another role owns and migrates: they can change rows there, not rules. */
const OWNED_APART = ['prediction'] as const;

/** A service of this deployment. */
export type Service = (typeof SERVICES)[number];

/** A role of the database: a service's, the event log's, or that of whoever owns a service's schema. */
export type DatabaseRole = Service | 'events' | `${(typeof OWNED_APART)[number]}_owner`;

/** What an operator provides: a database and a role per service, certificates, secrets. */
export interface Infrastructure extends RunningService {
  readonly databases: Readonly<Record<DatabaseRole, PostgresConnection>>;
  /** Of every service, and of the people who run it. */
  readonly certificates: Readonly<Record<Service | 'ops', CertificatePaths>>;
  readonly secrets: Secrets;
  /** Folder for what the signer's software vault keeps. */
  readonly vaultPath: string;
  readonly postgres: EmbeddedPostgres;
}

/**
 * Starts or finds all of it under one folder. With a logger, a database that dies is started again and told there.
 * @throws DataDirectoryInUse when another copy runs on that folder
 */
export async function startInfrastructure(dataDir: string, logger?: Logger): Promise<Infrastructure> {
  await mkdir(dataDir, { recursive: true });
  const postgres = await startEmbeddedPostgres({
    dataDir: path.join(dataDir, 'postgres'),
    ...(logger && { keepRunning: logger }),
  });
  try {
    const [databases, certificates, secrets] = await Promise.all([
      createServiceRoles(postgres, [...SERVICES, 'events'], OWNED_APART),
      createCertificates(path.join(dataDir, 'certificates'), [...SERVICES, 'ops']),
      makeSecrets(path.join(dataDir, 'secrets')),
    ]);
    const vaultPath = path.join(dataDir, 'vault', 'root-key');
    await mkdir(path.dirname(vaultPath), { recursive: true, mode: 0o700 });
    return { databases, certificates, secrets, vaultPath, postgres, stop: () => postgres.stop() };
  } catch (error) {
    await postgres.stop();
    throw error;
  }
}
