import { type CertificatePaths, createCertificates } from '@agent-wallet/embedded';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { keptInWorker } from './per-worker.js';

/** Certificates that a worker has made so far. */
interface Made {
  readonly folder: string;
  readonly byName: Map<string, CertificatePaths>;
}

/** Calls go one after the other: two at once would each make an authority. */
let lastCall: Promise<unknown> = Promise.resolve();

/**
 * Returns certificates of names as `createCertificates` makes them, all of one authority. A worker makes each once for all
 * its test files, as they are most of what a service under test costs. So a test that changes their files, or wants an
 * authority of its own, calls `createCertificates`.
 */
export function testCertificates<Name extends string>(names: readonly Name[]): Promise<Record<Name, CertificatePaths>> {
  const made = lastCall.then(() => makeMissing(names));
  lastCall = made.catch(() => {});
  return made;
}

async function makeMissing<Name extends string>(names: readonly Name[]): Promise<Record<Name, CertificatePaths>> {
  const { folder, byName } = await keptInWorker<Made>('certificates', '', {
    open: async () => ({
      folder: await mkdtemp(path.join(os.tmpdir(), 'test-certificates-')),
      byName: new Map(),
    }),
    end: ({ folder: kept }) => rm(kept, { recursive: true }),
  });
  const missing = names.filter((name) => !byName.has(name));
  if (missing.length > 0) {
    const made = await createCertificates<Name>(folder, missing);
    missing.forEach((name) => byName.set(name, made[name]));
  }
  return Object.fromEntries(names.map((name) => [name, byName.get(name)!])) as Record<Name, CertificatePaths>;
}
