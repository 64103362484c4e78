import { policyV1, permitSigningInput, PERMIT_LIFETIME_MS, signerV1 } from '@agent-wallet/contracts';
import { newId, Secret } from '@agent-wallet/kernel';
import {
  type Database,
  loadTls,
  type Logger,
  openRpcClient,
  type PostgresConnection,
  type RpcClient,
  type RunningGrpcService,
  type ServiceName,
} from '@agent-wallet/platform';
import { openMigratedDatabase, openTestSchema, silent } from '@agent-wallet/platform/testing';
import { testCertificates } from '@agent-wallet/testing';
import type { ServiceDefinition } from '@grpc/grpc-js';
import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { signerMigrations, type SignerSettings, startSigner } from '../src/index.js';

export type SignerClient = RpcClient<typeof signerV1.SignerServiceService>;

export type KeysClient = RpcClient<typeof signerV1.KeyServiceService>;

export const SERVICES = ['gateway', 'wallet', 'policy', 'swap', 'prediction', 'signer', 'history'] as const;

/** The moment at which permits are made, unless a test says otherwise. */
export const NOW_MS = 1_800_000_000_000;

/** Policy's permit key, as the signer knows it, and one that it does not know. */
export const PERMIT_KEY_ID = 'permit-2026';
export const permitKey = generateKeyPairSync('ed25519');
export const foreignKey = generateKeyPairSync('ed25519');

/** How one replica differs. */
export interface ReplicaOverrides {
  readonly nowMs?: () => number;
  readonly logger?: Logger;
  readonly openKeyTtlMs?: number;
  readonly settings?: Partial<SignerSettings>;
}

/** Everything that signers of one deployment share. */
export interface Deployment {
  readonly settings: SignerSettings;
  readonly database: Database;
  readonly vaultPath: string;
  /** Starts a replica. */
  start(overrides?: ReplicaOverrides): Promise<RunningGrpcService>;
  /** A client with the certificate of a service. */
  clientOf(replica: { readonly address: string }, service: ServiceName): Promise<SignerClient>;
  /** What operators call. */
  keysOf(replica: { readonly address: string }, service?: ServiceName): Promise<KeysClient>;
  /** Stops all replicas, and forgets everything. */
  close(): Promise<void>;
}

export async function openDeployment(): Promise<Deployment> {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'signer-'));
  const certificates = await testCertificates<ServiceName>([...SERVICES, 'ops']);
  const test = await openMigratedDatabase([signerMigrations]);
  const connection: PostgresConnection = { ...test.schemas.signer, password: new Secret(test.schemas.signer.password) };
  const database = openTestSchema(test.schemas.signer, 'signer');
  const vaultPath = path.join(directory, 'vault', 'root.key');
  const settings: SignerSettings = {
    grpcAddress: '127.0.0.1:0',
    database: connection,
    tls: certificates.signer,
    logLevel: 'silent',
    production: false,
    vault: { driver: 'software', path: vaultPath },
    permitPublicKeysPath: await writePermitKeys(directory),
    maxNetworkFeeLamports: 100_000n,
    openKeys: { maxCount: 100, ttlMs: 60_000, maxSealedCount: 0 },
  };
  const running: Array<{ stop(): Promise<void> }> = [];
  const clients: Array<{ close(): void }> = [];
  const clientTo = async <S extends ServiceDefinition>(definition: S, address: string, as: ServiceName) => {
    const peer = { address, service: 'signer' } as const;
    const client = openRpcClient({ definition, peer, tls: await loadTls(certificates[as]) });
    clients.push(client);
    return client;
  };
  return {
    settings,
    database,
    vaultPath,
    start: async ({ nowMs = () => NOW_MS, logger = silent, openKeyTtlMs = 60_000, settings: more } = {}) => {
      const own = { ...settings, openKeys: { ...settings.openKeys, ttlMs: openKeyTtlMs }, ...more };
      const replica = await startSigner(own, { clock: { nowMs }, logger });
      running.push(replica);
      return replica;
    },
    clientOf: ({ address }, service) => clientTo(signerV1.SignerServiceService, address, service),
    keysOf: ({ address }, service = 'ops') => clientTo(signerV1.KeyServiceService, address, service),
    close: async () => {
      clients.forEach((client) => client.close());
      await Promise.all(running.map((replica) => replica.stop()));
      await database.close();
      await test.close();
      await rm(directory, { recursive: true });
    },
  };
}

async function writePermitKeys(directory: string): Promise<string> {
  const folder = path.join(directory, 'permit-keys');
  await mkdir(folder);
  const pem = permitKey.publicKey.export({ format: 'pem', type: 'spki' });
  await writeFile(path.join(folder, `${PERMIT_KEY_ID}.pem`), pem);
  return folder;
}

/** Claims that permit a message, with what the test cares about. */
export function claimsFor(message: Uint8Array, change: Partial<policyV1.PermitClaims>): policyV1.PermitClaims {
  const issuedAtMs = change.issuedAtMs ?? BigInt(NOW_MS);
  return {
    permitId: newId(),
    operationId: newId(),
    step: 1,
    attempt: 1,
    agentId: newId(),
    intent: undefined,
    messageHash: createHash('sha256').update(message).digest(),
    issuedAtMs,
    expiresAtMs: issuedAtMs + BigInt(PERMIT_LIFETIME_MS),
    ...change,
  };
}

/** What a request says of a message that uses no lookup tables. */
export const NO_TABLES = { resolvedAddresses: [] };

/** Signs claims as policy does. */
export function permitOf(
  claims: policyV1.PermitClaims | Uint8Array,
  key: KeyObject = permitKey.privateKey,
  keyId = PERMIT_KEY_ID,
): policyV1.Permit {
  const bytes = Buffer.from(claims instanceof Uint8Array ? claims : policyV1.PermitClaims.encode(claims).finish());
  return { claims: bytes, signature: sign(null, permitSigningInput(bytes), key), keyId };
}
