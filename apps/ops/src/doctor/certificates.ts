import type { Clock } from '@agent-wallet/kernel';
import { setting } from '@agent-wallet/platform';
import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { type Check, defineCheck, fail, type Finding, ok, warn } from './check.js';

const DAY_MS = 86_400_000;
const WARN_DAYS = 7;
const RENEW = 'Renew it: docs/runbooks/certificate-expiring-soon.md.';
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** Variables that name files of certificates, and whose they are. */
const FILES = {
  TLS_CA_PATH: 'authority',
  TLS_CERT_PATH: 'server',
  TLS_CLIENT_CERT_PATH: 'client',
  KAFKA_TLS_CA_PATH: 'broker authority',
} as const;

function certificateCheck(variable: keyof typeof FILES): Check {
  return defineCheck({
    name: FILES[variable],
    area: 'certificates',
    settings: { [variable]: setting.path() },
    advice: `Correct ${variable}, or the file: docs/runbooks/rotate-certificates.md.`,
    run: async (settings, { clock }) => judge(await readCertificates(settings[variable]!), clock),
  });
}

async function readCertificates(file: string): Promise<readonly X509Certificate[]> {
  const blocks = (await readFile(file, 'latin1')).match(CERTIFICATE) ?? [];
  if (blocks.length === 0) throw new Error(`${file} holds no certificate`);
  return blocks.map((block) => new X509Certificate(block));
}

/** Judges the certificate that ends last: while one authority takes over from another, the old one may expire. */
function judge(certificates: readonly X509Certificate[], clock: Clock): Finding {
  const ends = certificates.map(({ validFrom, validTo }) => ({
    fromMs: Date.parse(validFrom),
    toMs: Date.parse(validTo),
  }));
  const { fromMs, toMs } = ends.reduce((a, b) => (b.toMs > a.toMs ? b : a));
  const leftMs = toMs - clock.nowMs();
  const days = Math.floor(Math.abs(leftMs) / DAY_MS);
  if (leftMs <= 0) return fail(`expired ${days} days ago`, RENEW);
  if (fromMs > clock.nowMs()) return fail('not valid yet', 'Check the time of this machine.');
  // A certificate that lives for a week is renewed in its last days.
  const warnMs = Math.min(WARN_DAYS * DAY_MS, (toMs - fromMs) / 4);
  return leftMs < warnMs ? warn(`expires in ${days} days`, RENEW) : ok(`expires in ${days} days`);
}

/** Checks of the certificates in files. */
export const CERTIFICATE_CHECKS: readonly Check[] = (Object.keys(FILES) as Array<keyof typeof FILES>).map(
  certificateCheck,
);
