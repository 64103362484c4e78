import { type Clock, systemClock } from '@agent-wallet/kernel';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { isGoodAuthority, isGoodLeaf, type Leaf } from './kept.js';
import { type KeyPair, type PairPaths, readPair, writePair } from './pem-pair.js';

/** Paths of a service's certificates, one for each use, and of the certificate of the authority that signed them. */
export interface CertificatePaths {
  readonly caPath: string;
  readonly server: PairPaths;
  readonly client: PairPaths;
}

/**
 * Makes a private certificate authority and two certificates per service, one to answer and one to call with (DNS names:
 * the service's, and localhost), in a directory, PEM files of mode 0600; what is there and good for another month stays. The processes of one deployment
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
  const keep = async (name: string, leaf: Leaf) => {
    const paths = pathsOf(directory, name);
    await keepOrMake(paths, {
      isGood: (pair) => isGoodLeaf(pair, authority, { ...leaf, nowMs }),
      make: async () => (await issuing()).issueLeaf(authority, leaf, nowMs),
    });
    return paths;
  };
  const certificates = services.map(async (service) => {
    const [server, client] = await Promise.all([
      keep(service, { service, use: 'server' }),
      keep(`${service}-client`, { service, use: 'client' }),
    ]);
    return [service, { caPath: ca.certPath, server, client }] as const;
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
