import { createCertificates } from '@agent-wallet/embedded';
import type { Logger } from '@agent-wallet/platform';
import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { CERTIFIED } from '../infrastructure/infrastructure.js';
import { makeSecrets } from '../infrastructure/secrets.js';
import {
  KEPT_OBJECTS,
  type KeptObject,
  LOGIN_ROLES,
  passwordFile,
  ROOT_KEY,
  SMTP_URL,
  SUPERUSER_PASSWORD,
} from './kept-objects.js';
import type { KubernetesApi, StoredObject } from './kubernetes-api.js';

const KEY_BYTES = 32;
const PASSWORD_BYTES = 24;

/** Objects to provide, and their destination. */
interface Provision {
  readonly api: Pick<KubernetesApi, 'find' | 'create' | 'replace'>;
  /** An empty folder in memory, which holds all of it while this runs. */
  readonly directory: string;
  /** URL of the gateway's mail server. */
  readonly smtpUrl: string;
  readonly logger: Logger;
}

/**
 * Makes the certificates, keys and passwords of a deployment, as Secrets and ConfigMaps. What the cluster has stays as it
 * is, so every apply may do it again; only certificates that end within a month are renewed.
 */
export async function provide({ api, directory, smtpUrl, logger }: Provision): Promise<void> {
  const found = await Promise.all(
    KEPT_OBJECTS.map(async (kept) => ({ kept, object: await api.find(kept.kind, kept.name) })),
  );
  for (const { kept, object } of found) await restore(directory, kept, object);
  await makeMissing(directory, smtpUrl);
  for (const { kept, object } of found) {
    const data = await dataOf(directory, kept);
    const { name, kind, type, isRenewed } = kept;
    const isSame = Object.entries(data).every(([key, value]) => object?.data?.[key] === value);
    if (object && (isSame || !isRenewed)) continue;
    if (!object) await api.create(kind, { metadata: { name }, type, data });
    else await api.replace(kind, { ...object, data: { ...object.data, ...data } });
    if (object) logger.info({ event: 'secret.renewed', kind, name }, 'Kubernetes object renewed');
    else logger.info({ event: 'secret.created', kind, name }, 'Kubernetes object created');
  }
}

async function makeMissing(directory: string, smtpUrl: string): Promise<void> {
  await createCertificates(path.join(directory, 'certificates'), CERTIFIED);
  await makeSecrets(path.join(directory, 'secrets'));
  for (const file of [SUPERUSER_PASSWORD, ...LOGIN_ROLES.map(passwordFile)]) {
    await placeIfMissing(directory, file, randomBytes(PASSWORD_BYTES).toString('base64url'));
  }
  await placeIfMissing(directory, ROOT_KEY, randomBytes(KEY_BYTES));
  await placeIfMissing(directory, SMTP_URL, smtpUrl);
}

/** Puts the values that an object has where they would be made. */
async function restore(directory: string, kept: KeptObject, object: StoredObject | undefined): Promise<void> {
  for (const [key, file] of Object.entries(kept.files)) {
    const value = object?.data?.[key];
    if (value !== undefined) await placeIfMissing(directory, file, Buffer.from(value, encodingOf(kept)));
  }
}

async function placeIfMissing(directory: string, file: string, content: string | Uint8Array): Promise<void> {
  const place = path.join(directory, file);
  await mkdir(path.dirname(place), { recursive: true, mode: 0o700 });
  await writeFile(place, content, { mode: 0o600, flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
}

async function dataOf(directory: string, kept: KeptObject): Promise<Record<string, string>> {
  const entries = Object.entries(kept.files).map(async ([key, file]) => {
    const content = await readFile(path.join(directory, file));
    return [key, content.toString(encodingOf(kept))] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

function encodingOf({ kind }: KeptObject): BufferEncoding {
  return kind === 'secrets' ? 'base64' : 'utf8';
}
