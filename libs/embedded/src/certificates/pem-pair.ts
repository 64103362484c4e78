import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';

/** A certificate and its private key, both as PEM. */
export interface KeyPair {
  readonly certificate: string;
  readonly privateKey: string;
}

/** Paths of the two files of a pair. */
export interface PairPaths {
  readonly certPath: string;
  readonly keyPath: string;
}

/** Reads a pair; undefined when a file is missing, unreadable as PEM, or one is not of the other. */
export function readPair({ certPath, keyPath }: PairPaths): KeyPair | undefined {
  try {
    const pair = { certificate: readFileSync(certPath, 'utf8'), privateKey: readFileSync(keyPath, 'utf8') };
    const matches = new X509Certificate(pair.certificate).checkPrivateKey(createPrivateKey(pair.privateKey));
    return matches ? pair : undefined;
  } catch {
    return undefined;
  }
}

/** Writes a pair, each file at once; killed in between, it leaves two files that readPair does not take for a pair. */
export function writePair({ certPath, keyPath }: PairPaths, pair: KeyPair): void {
  for (const [file, content] of [
    [keyPath, pair.privateKey],
    [certPath, pair.certificate],
  ] as const) {
    writeFileSync(`${file}.draft`, content, { mode: 0o600 });
    renameSync(`${file}.draft`, file);
  }
}
