import { ATTRIBUTES, METRICS, type Reading, watch } from '@agent-wallet/telemetry';
import type { experimental } from '@grpc/grpc-js';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Logger } from '../log/logger.js';
import { serviceOf } from '../log/service-of.js';

/** Paths of a certificate and its key. */
export interface LeafPaths {
  /** The certificate (PEM); its DNS names say whose it is. */
  readonly certPath: string;
  /** Its private key (PEM). */
  readonly keyPath: string;
}

/** Paths of a service's certificate files. Each certificate has one use, which the other side checks. */
export interface TlsPaths {
  /** The certificate authorities whose certificates are believed (PEM); several while one takes over from another. */
  readonly caPath: string;
  /** The certificate for answering. */
  readonly server: LeafPaths;
  /** The certificate for calling. */
  readonly client: LeafPaths;
}

/** A use of a certificate. */
export type TlsUse = 'server' | 'client';

/** Paths of one certificate and of the authorities that are believed. */
type FilePaths = LeafPaths & Pick<TlsPaths, 'caPath'>;

/** Contents of the three files (PEM). */
interface Credentials {
  readonly ca: Buffer;
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** Options for watching files that change. */
export interface WatchOptions {
  readonly logger: Logger;
  /** Interval between two reads. Kubernetes updates a mounted secret about a minute after its change. */
  readonly everyMs?: number;
}

const READ_EVERY_MS = 10_000;
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * A certificate of a service, its key and the authorities, read again while they are in use. New files count once they can be used
 * together; until then, and when they are broken or gone, the last good ones stay, and the log says so once. Connections
 * that are open stay as they are.
 */
export class CertificateFiles implements experimental.CertificateProvider {
  readonly #use: TlsUse;
  readonly #paths: FilePaths;
  readonly #watch: WatchOptions | undefined;
  readonly #authorities = new Set<experimental.CaCertificateUpdateListener>();
  readonly #identities = new Set<experimental.IdentityCertificateUpdateListener>();
  #current: Credentials;
  #timer: NodeJS.Timeout | undefined;
  #gauges: { stop(): void } | undefined;
  #trouble: string | undefined;

  private constructor(use: TlsUse, paths: FilePaths, current: Credentials, watch: WatchOptions | undefined) {
    this.#use = use;
    this.#paths = paths;
    this.#current = current;
    this.#watch = watch;
  }

  /** Reads the files; without a watch, once and for all. @throws Error when they cannot be used */
  static async open(use: TlsUse, paths: FilePaths, watch?: WatchOptions): Promise<CertificateFiles> {
    return new CertificateFiles(use, paths, await read(paths, use), watch);
  }

  addCaCertificateListener(listener: experimental.CaCertificateUpdateListener): void {
    this.#authorities.add(listener);
    this.#begin();
    process.nextTick(() => listener({ caCertificate: this.#current.ca }));
  }

  removeCaCertificateListener(listener: experimental.CaCertificateUpdateListener): void {
    this.#authorities.delete(listener);
    this.#endIfUnused();
  }

  addIdentityCertificateListener(listener: experimental.IdentityCertificateUpdateListener): void {
    this.#identities.add(listener);
    this.#begin();
    process.nextTick(() => listener(identityOf(this.#current)));
  }

  removeIdentityCertificateListener(listener: experimental.IdentityCertificateUpdateListener): void {
    this.#identities.delete(listener);
    this.#endIfUnused();
  }

  #begin(): void {
    if (!this.#watch || this.#timer) return;
    // A user may come back after a while without polls.
    void this.#poll();
    this.#timer = setInterval(() => void this.#poll(), this.#watch.everyMs ?? READ_EVERY_MS).unref();
    const service = serviceOf(this.#watch.logger);
    if (service) this.#gauges = watch({ service, look: async () => endsOf(this.#use, this.#current) });
  }

  #endIfUnused(): void {
    if (this.#authorities.size + this.#identities.size > 0) return;
    clearInterval(this.#timer);
    this.#gauges?.stop();
    this.#timer = undefined;
  }

  async #poll(): Promise<void> {
    const { logger } = this.#watch!;
    try {
      const found = await read(this.#paths, this.#use);
      if (this.#trouble !== undefined)
        logger.info({ event: 'certificate.recovered', paths: this.#paths }, 'Certificate files are valid again');
      this.#trouble = undefined;
      if (isSame(found, this.#current)) return;
      this.#current = found;
      const { validTo } = new X509Certificate(found.cert);
      logger.info({ event: 'certificate.replaced', paths: this.#paths, validTo }, 'New certificate in use');
      for (const listener of this.#authorities) listener({ caCertificate: found.ca });
      for (const listener of this.#identities) listener(identityOf(found));
    } catch (error) {
      const { message } = error as Error;
      if (message === this.#trouble) return;
      this.#trouble = message;
      const fields = { event: 'certificate.reload_failed', paths: this.#paths, reason: message } as const;
      logger.error(fields, 'Certificate could not be reloaded; the last good one stays');
    }
  }
}

/** Object identifiers of the two ends of a connection, as a certificate names the ends that it is for. */
const ENDS: Readonly<Record<TlsUse, string>> = { server: '1.3.6.1.5.5.7.3.1', client: '1.3.6.1.5.5.7.3.2' };

/**
 * Reads the files of a certificate for one end. A certificate that names no end is for both.
 * @throws Error when a file is missing or broken, the certificate is for the other end, or the key is not its own
 */
async function read({ caPath, certPath, keyPath }: FilePaths, use: TlsUse): Promise<Credentials> {
  const [ca, cert, key] = await Promise.all([caPath, certPath, keyPath].map((file) => readFile(file)));
  assertCertificates(ca!, caPath);
  assertCertificates(cert!, certPath);
  const certificate = new X509Certificate(cert!);
  const ends = certificate.keyUsage as readonly string[] | undefined;
  if (ends && !ends.includes(ENDS[use])) throw new Error(`${certPath} is not for the ${use} of a connection`);
  if (!certificate.checkPrivateKey(createPrivateKey(key!))) {
    throw new Error(`${keyPath} is not the key of ${certPath}`);
  }
  return { ca: ca!, cert: cert!, key: key! };
}

function assertCertificates(pem: Buffer, file: string): void {
  const blocks = pem.toString('latin1').match(CERTIFICATE) ?? [];
  if (blocks.length === 0) throw new Error(`${file} holds no certificate`);
  for (const block of blocks) new X509Certificate(block);
}

/**
 * Returns the expiry times. With several authorities the last one counts: while one takes over from another, the old
 * one may expire.
 */
function endsOf(use: TlsUse, { ca, cert }: Credentials): Reading[] {
  const endOf = (pem: Buffer) => {
    const blocks = pem.toString('latin1').match(CERTIFICATE) ?? [];
    return blocks.map((block) => Date.parse(new X509Certificate(block).validTo) / 1_000);
  };
  const reading = (value: number, which: string) =>
    ({ metric: METRICS.certificateEnd, value, attributes: { [ATTRIBUTES.certificate.name]: which } }) as const;
  return [reading(endOf(cert)[0]!, use), reading(Math.max(...endOf(ca)), 'ca')];
}

function identityOf({ cert, key }: Credentials): experimental.IdentityCertificateUpdate {
  return { certificate: cert, privateKey: key };
}

function isSame(a: Credentials, b: Credentials): boolean {
  return a.ca.equals(b.ca) && a.cert.equals(b.cert) && a.key.equals(b.key);
}
