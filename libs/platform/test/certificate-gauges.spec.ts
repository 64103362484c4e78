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

it('the ends of certificates and of their authorities are exported while they are in use', async () => {
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
    const { wallet } = await createCertificates(directory, ['wallet']);
    const watch = { logger: createLogger('wallet', 'silent') };
    const open = (use: 'server' | 'client') =>
      CertificateFiles.open(use, { caPath: wallet.caPath, ...wallet[use] }, watch);
    const [server, client] = await Promise.all([open('server'), open('client')]);
    expect(await exported()).toEqual({});

    const listener: experimental.CaCertificateUpdateListener = () => {};
    server.addCaCertificateListener(listener);
    client.addCaCertificateListener(listener);
    const endOf = (file: string) => Date.parse(new X509Certificate(readFileSync(file)).validTo) / 1_000;
    const ends = { client: endOf(wallet.client.certPath), ca: endOf(wallet.caPath) };
    expect(await exported()).toEqual({ ...ends, server: endOf(wallet.server.certPath) });

    server.removeCaCertificateListener(listener);
    expect(await exported()).toEqual(ends);
    client.removeCaCertificateListener(listener);
    expect(await exported()).toEqual({});
  } finally {
    await running.stop();
    rmSync(directory, { recursive: true });
  }
});
