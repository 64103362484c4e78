import { createCertificates } from '@agent-wallet/embedded';
import { METRICS, startTelemetry } from '@agent-wallet/telemetry';
import type { experimental } from '@grpc/grpc-js';
import { expect, it } from '@jest/globals';
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CertificateFiles } from '../src/grpc/certificate-files.js';
import { createLogger } from '../src/index.js';

it('the ends of a certificate and of its authorities are exported while it is in use', async () => {
  const directory = mkdtempSync(path.join(tmpdir(), 'certificate-gauges-'));
  const settings = { sampler: 'always_off', samplerRatio: 0, spanDelayMs: 1_000, metricIntervalMs: 60_000 } as const;
  const running = await startTelemetry({
    service: 'wallet',
    settings: { ...settings, metricsAddress: '127.0.0.1:0' },
  });
  const exported = async () => {
    const text = await (await fetch(`http://${running.metricsAddress}/metrics`)).text();
    const name = METRICS.certificateEnd.name.replaceAll('.', '_');
    const read = [...text.matchAll(new RegExp(`^${name}\\{.*agentwallet_certificate="(\\w+)".*\\} (\\S+)$`, 'gm'))];
    return Object.fromEntries(read.map(([, which, value]) => [which!, Number(value)]));
  };
  try {
    const { wallet: paths } = await createCertificates(directory, ['wallet']);
    const files = await CertificateFiles.open(paths, { logger: createLogger('wallet', 'silent') });
    expect(await exported()).toEqual({});

    const listener: experimental.CaCertificateUpdateListener = () => {};
    files.addCaCertificateListener(listener);
    const endOf = (file: string) => Date.parse(new X509Certificate(readFileSync(file)).validTo) / 1_000;
    expect(await exported()).toEqual({ leaf: endOf(paths.certPath), ca: endOf(paths.caPath) });

    files.removeCaCertificateListener(listener);
    expect(await exported()).toEqual({});
  } finally {
    await running.stop();
    rmSync(directory, { recursive: true });
  }
});
