import { testCertificates } from '@agent-wallet/testing';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { CERTIFICATE_CHECKS } from '../../src/doctor/certificates.js';
import type { CheckResult } from '../../src/doctor/check.js';
import { examine } from '../../src/doctor/examine.js';

const DAY_MS = 86_400_000;

let certPath: string;
let keyPath: string;
let endMs: number;
beforeAll(async () => {
  ({ certPath, keyPath } = (await testCertificates(['ops'])).ops.client);
  endMs = Date.parse(new X509Certificate(readFileSync(certPath)).validTo);
});

async function examineAt(nowMs: number, file = certPath): Promise<CheckResult> {
  const environment = { TLS_CLIENT_CERT_PATH: file };
  const results = await examine(CERTIFICATE_CHECKS, { environment, clock: { nowMs: () => nowMs } });
  return results.find(({ status }) => status !== 'skipped')!;
}

describe('checks of certificates', () => {
  it.each([
    [-7 * DAY_MS, 'ok', 'expires in 7 days', null],
    [-7 * DAY_MS + 1_000, 'warn', 'expires in 6 days', expect.stringContaining('certificate-expiring-soon.md')],
    [-1_000, 'warn', 'expires in 0 days', expect.stringContaining('certificate-expiring-soon.md')],
    [DAY_MS, 'fail', 'expired 1 days ago', expect.stringContaining('certificate-expiring-soon.md')],
    [-400 * DAY_MS, 'fail', 'not valid yet', 'Check the time of this machine.'],
  ])('judge a certificate %i ms after its end as %s', async (afterEndMs, status, found, advice) => {
    const result = await examineAt(endMs + afterEndMs);
    expect(result).toEqual({ area: 'certificates', name: 'client', status, found, advice });
  });

  it('fail for a file that is missing or holds no certificate', async () => {
    expect(await examineAt(0, '/nowhere.pem')).toMatchObject({
      status: 'fail',
      found: expect.stringMatching(/ENOENT/),
    });
    expect(await examineAt(0, keyPath)).toMatchObject({ status: 'fail', found: `${keyPath} holds no certificate` });
  });
});
