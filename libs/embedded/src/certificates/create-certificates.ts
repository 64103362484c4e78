import { type Clock, systemClock } from '@agent-wallet/kernel';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { isGoodAuthority, isGoodService } from './kept.js';
import { type KeyPair, type PairPaths, readPair, writePair } from './pem-pair.js';

/** Paths of a service's certificate, and of the certificate of the authority that signed it. */
export interface CertificatePaths extends PairPaths {
  readonly caPath: string;
}

/**
 * Makes a private certificate authority and a certificate per service (DNS names: the service's, and localhost) in a
 * directory, PEM files of mode 0600; what is there and good for another month stays. The processes of one deployment
 * share the authority, so its key stays there, too, for services that are added and certificates that are renewed:
 * a reader of `ca.key` can be any service.
 */
export async function createCertificates<Service extends string>(
  directory: string,
  services: readonly Service[],
  clock: Clock = systemClock,
): Promise<Record<Service, CertificatePaths>> {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const nowMs = clock.nowMs();
  const ca = pathsOf(directory, 'ca');
  const authority = await keepOrMake(ca, {
    isGood: (pair) => isGoodAuthority(pair, nowMs),
    make: async () => (await issuing()).issueAuthority(nowMs),
  });
  const certificates = services.map(async (service) => {
    const paths = pathsOf(directory, service);
    await keepOrMake(paths, {
      isGood: (pair) => isGoodService(pair, authority, { service, nowMs }),
      make: async () => (await issuing()).issueService(authority, service, nowMs),
    });
    return [service, { ...paths, caPath: ca.certPath }] as const;
  });
  return Object.fromEntries(await Promise.all(certificates)) as Record<Service, CertificatePaths>;
}

/** Its library is large, and most starts find every certificate there. */
const issuing = () => import('./issuing.js');

interface Maker {
  readonly isGood: (pair: KeyPair) => boolean;
  readonly make: () => Promise<KeyPair>;
}

async function keepOrMake(paths: PairPaths, { isGood, make }: Maker): Promise<KeyPair> {
  const kept = readPair(paths);
  if (kept && isGood(kept)) return kept;
  const made = await make();
  writePair(paths, made);
  return made;
}

function pathsOf(directory: string, name: string): PairPaths {
  return { certPath: path.join(directory, `${name}.pem`), keyPath: path.join(directory, `${name}.key`) };
}
