import type { Environment, Logger } from '@agent-wallet/platform';
import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { provide } from '../cluster/provide.js';
import { SecretFiles } from './secret-files.js';

const EXCHANGE_KEY = 'secrets/sandbox-exchange';
const GRAFANA_PASSWORD = 'passwords/grafana';
const PASSWORD_BYTES = 24;

/** Folders for created secrets, and for those who receive them. */
interface FilesToProvide {
  /** Keeps all of it, the authority's key too. */
  readonly keptDir: string;
  /** Has a folder for every volume of secrets. */
  readonly volumesDir: string;
  /** Values that an operator has and we do not create: SMTP_URL, JUPITER_API_KEY, KALSHI_API_KEY_ID. */
  readonly given: Environment;
  readonly logger: Logger;
}

/**
 * Makes the certificates, keys and passwords of a deployment, and writes each into the volume of the service that needs it.
 * What was made earlier stays, so every start may do it again; only certificates that end within a month are renewed.
 */
export async function provideFiles({ keptDir, volumesDir, given, logger }: FilesToProvide): Promise<void> {
  const files = new SecretFiles(volumesDir);
  const kept = (file: string) => readFile(path.join(keptDir, file), 'utf8');
  const smtpUrl = given['SMTP_URL']!;
  await provide({ api: files, directory: keptDir, smtpUrl, logger });

  const keyId = await kept(`${EXCHANGE_KEY}/key-id`);
  await files.write('prediction/exchange/private.pem', await kept(`${EXCHANGE_KEY}/private.pem`));
  await files.write('sandbox/exchange/public.pem', await kept(`${EXCHANGE_KEY}/public.pem`));
  await files.writeVariables('sandbox/settings.env', { SANDBOX_EXCHANGE_KEY_ID: keyId });

  const aggregator = { JUPITER_API_KEY: given['JUPITER_API_KEY'] };
  for (const service of ['wallet', 'swap', 'policy']) await files.writeVariables(`${service}/settings.env`, aggregator);
  const exchange = { KALSHI_API_KEY_ID: given['KALSHI_API_KEY_ID'] || keyId };
  await files.writeVariables('prediction/settings.env', { ...aggregator, ...exchange });
  const pepper = { OTP_PEPPER: await kept('secrets/otp-pepper') };
  await files.writeVariables('gateway/settings.env', { ...pepper, SMTP_URL: smtpUrl });
  await files.write('grafana/password', await keep(path.join(keptDir, GRAFANA_PASSWORD)));
}

/** Returns a password that was created earlier, or creates it. */
async function keep(file: string): Promise<string> {
  const password = randomBytes(PASSWORD_BYTES).toString('base64url');
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  await writeFile(file, password, { mode: 0o600, flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  return readFile(file, 'utf8');
}
