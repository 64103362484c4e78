import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { X509Certificate } from 'node:crypto';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import tls from 'node:tls';
import { type CertificatePaths, createCertificates } from './create-certificates.js';

const DAY_MS = 86_400_000;
let root: string;
let directory: string;
beforeAll(() => {
  root = mkdtempSync(path.join(os.tmpdir(), 'certificates-'));
});
afterAll(() => rmSync(root, { recursive: true }));
beforeEach(() => {
  directory = mkdtempSync(path.join(root, 'case-'));
});

function identityOf(caPath: string, { certPath, keyPath }: CertificatePaths['server']) {
  return { ca: readFileSync(caPath), cert: readFileSync(certPath), key: readFileSync(keyPath) };
}

/** What a server learns of its client: its DNS names, or why its certificate does not count. */
async function callWith(server: CertificatePaths, client: CertificatePaths): Promise<string> {
  const listener = tls.createServer({
    ...identityOf(server.caPath, server.server),
    requestCert: true,
    rejectUnauthorized: false,
  });
  const seen = new Promise<string>((resolve) => {
    listener.on('secureConnection', (socket) => {
      resolve(socket.authorized ? socket.getPeerCertificate().subjectaltname! : String(socket.authorizationError));
    });
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const { port } = listener.address() as AddressInfo;
  const socket = tls.connect({
    ...identityOf(client.caPath, client.client),
    host: '127.0.0.1',
    port,
    servername: 'wallet',
  });
  const refused = new Promise<never>((_, reject) => socket.on('error', reject));
  try {
    return await Promise.race([seen, refused]);
  } finally {
    socket.destroy();
    listener.close();
  }
}

const readAll = (names: string[]) => names.map((name) => readFileSync(path.join(directory, name), 'utf8'));
const FILES = ['ca.pem', 'ca.key', 'wallet.pem', 'wallet.key', 'wallet-client.pem', 'wallet-client.key'];

describe('certificates', () => {
  it('let two services prove to each other who they are', async () => {
    const { wallet, gateway } = await createCertificates(directory, ['wallet', 'gateway']);
    expect(await callWith(wallet, gateway)).toBe('DNS:gateway, DNS:localhost');
  });

  it('are for one end of a connection: either refuses what is for the other', async () => {
    const { wallet, gateway } = await createCertificates(directory, ['wallet', 'gateway']);
    expect(await callWith(wallet, { ...gateway, client: gateway.server })).toMatch('INVALID_PURPOSE');
    const impostor = callWith({ ...wallet, server: wallet.client }, gateway);
    await expect(impostor).rejects.toMatchObject({ code: 'INVALID_PURPOSE' });
  });

  it('are made again when they are for the other end', async () => {
    const { wallet } = await createCertificates(directory, ['wallet']);
    const before = readAll(FILES);
    for (const file of ['certPath', 'keyPath'] as const) copyFileSync(wallet.client[file], wallet.server[file]);
    await createCertificates(directory, ['wallet']);
    const after = readAll(FILES);
    expect(after.filter((content) => !before.includes(content))).toEqual(after.slice(2, 4));
    expect(await callWith(wallet, wallet)).toBe('DNS:wallet, DNS:localhost');
  });

  it('of another authority are refused', async () => {
    const { wallet } = await createCertificates(directory, ['wallet']);
    const { gateway } = await createCertificates(path.join(directory, 'foreign'), ['gateway']);
    expect(await callWith(wallet, { ...gateway, caPath: wallet.caPath })).toMatch(/^UNABLE_TO_VERIFY|^CERT_/);
    await expect(callWith({ ...gateway, caPath: wallet.caPath }, wallet)).rejects.toThrow();
  });

  it('can be read by their owner alone', async () => {
    await createCertificates(directory, ['wallet']);
    expect(FILES.map((name) => (statSync(path.join(directory, name)).mode & 0o777).toString(8))).toEqual(
      FILES.map(() => '600'),
    );
  });

  it('stay as they are when made again, and serve a service added later', async () => {
    const { wallet } = await createCertificates(directory, ['wallet']);
    const before = readAll(FILES);
    const { signer } = await createCertificates(directory, ['wallet', 'signer']);
    expect(readAll(FILES)).toEqual(before);
    expect(await callWith(wallet, signer)).toBe('DNS:signer, DNS:localhost');
  });

  it.each([335, 336])('are renewed a month before their end, on day %i of 365 not yet or already', async (day) => {
    const nowMs = Math.floor(Date.now() / 1_000) * 1_000;
    await createCertificates(directory, ['wallet'], { nowMs: () => nowMs });
    const before = readAll(FILES);
    await createCertificates(directory, ['wallet'], { nowMs: () => nowMs + day * DAY_MS });
    const after = readAll(FILES);
    expect(after.slice(0, 2)).toEqual(before.slice(0, 2));
    expect([2, 4].map((leaf) => after[leaf] === before[leaf])).toEqual([day === 335, day === 335]);
  });

  it('are all made again when the authority ends', async () => {
    const nowMs = Date.now();
    await createCertificates(directory, ['wallet'], { nowMs: () => nowMs });
    await createCertificates(directory, ['wallet'], { nowMs: () => nowMs + 701 * DAY_MS });
    const authority = new X509Certificate(readAll(['ca.pem'])[0]!);
    expect(Date.parse(authority.validTo)).toBeGreaterThan(nowMs + 1400 * DAY_MS);
  });

  it('are all made again when the authority’s key is not its own', async () => {
    await createCertificates(directory, ['wallet']);
    const before = readAll(FILES);
    writeFileSync(path.join(directory, 'ca.key'), readFileSync(path.join(directory, 'wallet.key')));
    const { wallet } = await createCertificates(directory, ['wallet']);
    expect(readAll(FILES).filter((content) => before.includes(content))).toEqual([]);
    expect(await callWith(wallet, wallet)).toBe('DNS:wallet, DNS:localhost');
  });
});
