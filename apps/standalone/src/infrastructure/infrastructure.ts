import {
  createCertificates,
  type CertificatePaths,
  createRolesIn,
  createServiceRoles,
  startEmbeddedPostgres,
} from '@agent-wallet/embedded';
import type { Logger, PostgresConnection, RunningService, TlsUse } from '@agent-wallet/platform';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { explainDatabase } from './explain-database.js';
import { makeSecrets, type Secrets } from './secrets.js';

/** Services that run here and own a schema. */
export const SERVICES = ['gateway', 'wallet', 'swap', 'prediction', 'policy', 'signer', 'history'] as const;

/** Services whose schema another role owns and migrates: they can change rows there, not rules. */
export const OWNED_APART = ['prediction', 'history'] as const;

/** Names of all schemas. */
const SCHEMAS = [...SERVICES, 'events'] as const;

/** A service of this deployment. */
export type Service = (typeof SERVICES)[number];

/** Names that have certificates: the services, and the people who run them. */
export const CERTIFIED = [...SERVICES, 'ops'] as const;

/** Returns the uses that a name has certificates for: the signer calls no service, and operators answer none. */
export function usesOf(name: (typeof CERTIFIED)[number]): readonly TlsUse[] {
  if (name === 'signer') return ['server'];
  return name === 'ops' ? ['client'] : ['server', 'client'];
}

/** A role of the database: a service's, the event log's, or that of the owner of a service's schema. */
export type DatabaseRole = Service | 'events' | `${(typeof OWNED_APART)[number]}_owner`;

/** Resources that an operator provides: a database and a role per service, certificates, secrets. */
export interface Infrastructure extends RunningService {
  readonly databases: Readonly<Record<DatabaseRole, PostgresConnection>>;
  /** Certificates of every service, and of the people who run it. */
  readonly certificates: Readonly<Record<(typeof CERTIFIED)[number], CertificatePaths>>;
  readonly secrets: Secrets;
  /** Folder for what the signer's software vault keeps. */
  readonly vaultPath: string;
  /** The database's server as the user that creates the roles there. */
  readonly postgres: PostgresConnection;
}

/**
 * Starts or finds all of it under one folder. With a logger, a database that dies is started again and logged there.
 * @param meanwhile work for the time in which the database starts
 * @throws DataDirectoryInUse when another copy runs on that folder
 */
export async function startInfrastructure(
  dataDir: string,
  logger?: Logger,
  meanwhile?: () => void,
): Promise<Infrastructure> {
  await mkdir(dataDir, { recursive: true });
  let providing: Promise<Provided> | undefined;
  const begin = () => {
    providing ??= provide(dataDir);
    providing.catch(() => undefined); // reported where it is awaited
    meanwhile?.();
    return providing;
  };
  const postgres = await startEmbeddedPostgres({
    dataDir: path.join(dataDir, 'postgres'),
    launched: () => void begin(),
    ...(logger && { keepRunning: logger }),
  });
  try {
    const databases = await createServiceRoles(postgres, SCHEMAS, OWNED_APART);
    return { databases, postgres, ...(await begin()), stop: () => postgres.stop() };
  } catch (error) {
    await postgres.stop();
    throw error;
  }
}

/**
 * Opens the infrastructure in a given database, as a superuser or as its owner who may create roles. Creates schemas
 * and roles named `<database>_<service>` there. All other files are in the folder, passwords included.
 * @throws SettingsError that says what to do when the database cannot be reached or used
 */
export async function openInfrastructure(dataDir: string, postgres: PostgresConnection): Promise<Infrastructure> {
  const provided = await provide(dataDir);
  const prefix = `${postgres.database}_`;
  const passwordsDir = path.join(dataDir, SECRETS);
  const databases = await explainDatabase(postgres, () =>
    createRolesIn(postgres, { services: SCHEMAS, ownedApart: OWNED_APART, prefix, passwordsDir }),
  );
  return { databases, postgres, ...provided, stop: async () => undefined };
}

const SECRETS = 'secrets';

type Provided = Pick<Infrastructure, 'certificates' | 'secrets' | 'vaultPath'>;

async function provide(dataDir: string): Promise<Provided> {
  const [certificates, secrets] = await Promise.all([
    createCertificates(path.join(dataDir, 'certificates'), CERTIFIED),
    makeSecrets(path.join(dataDir, SECRETS)),
  ]);
  const vaultPath = path.join(dataDir, 'vault', 'root-key');
  await mkdir(path.dirname(vaultPath), { recursive: true, mode: 0o700 });
  return { certificates, secrets, vaultPath };
}
