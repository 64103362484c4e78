import { type Clock, sleep } from '@agent-wallet/kernel';
import { type BackgroundLoop, type Logger, startLoop } from '@agent-wallet/platform';
import type { JwtService } from '@nestjs/jwt';
import { createPrivateKey, createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { TokenKeys, TokenNames, TokenSigner } from '../ports/tokens.js';

/** A current or retired signing key. */
interface TokenKey {
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  /** Unix milliseconds since which this process knows it; 0 for one that was there at its start. */
  readonly knownSinceMs: number;
}

const EXTENSION = '.pem';
const POLL_EVERY_MS = 2_000;
/** Unknown key ids make the folder be read at once, but not for every forged token. */
const READ_AT_MOST_EVERY_MS = 500;

/** The folder of keys, and the delay before a new key signs. */
interface KeyFolderOptions {
  readonly keysPath: string;
  /**
   * Longest delay between the first and the last gateway that sees a key: a mounted Secret reaches each node in its own
   * time.
   */
  readonly signsAfterMs: number;
}

interface Tools {
  readonly logger: Logger;
  readonly clock: Clock;
}

/**
 * The folder of signing keys. A file's name is its key's id; the newest by name that every gateway has by now signs, all
 * of them verify at once. The folder is looked at again and again, so that keys rotate without a restart: put the new key
 * in, take the old one out when the last of its tokens is over.
 */
export class KeyFolder implements TokenKeys {
  #keys: ReadonlyMap<string, TokenKey> = new Map();
  #readAtMs = 0;
  #nextPoll: Promise<void> | undefined;
  #loop?: BackgroundLoop;

  private constructor(
    private readonly options: KeyFolderOptions,
    private readonly tools: Tools,
  ) {}

  /** @throws Error when the folder holds no usable key */
  static async open(options: KeyFolderOptions, tools: Tools): Promise<KeyFolder> {
    const folder = new KeyFolder(options, tools);
    await folder.#read(0);
    const round = () => folder.#readAgain().then(() => false);
    folder.#loop = startLoop({ name: 'token-keys', logger: tools.logger, idleMs: POLL_EVERY_MS, round });
    return folder;
  }

  /** The key that signs: the newest that has been known for long enough, or, when none of those is left, the newest. */
  get signing(): TokenKey {
    const keys = [...this.#keys.values()];
    const seenByAllMs = this.tools.clock.nowMs() - this.options.signsAfterMs;
    return keys.findLast(({ knownSinceMs }) => knownSinceMs <= seenByAllMs) ?? (keys.at(-1) as TokenKey);
  }

  /** Returns the key of an ID. It reads the folder for an unknown one, which may come from a rotation elsewhere. */
  async publicKey(kid: string): Promise<KeyObject | undefined> {
    const known = this.#keys.get(kid)?.publicKey;
    if (known) return known;
    // All waiters share one poll, which starts after they asked.
    this.#nextPoll ??= this.#pollLater();
    await this.#nextPoll;
    return this.#keys.get(kid)?.publicKey;
  }

  async #pollLater(): Promise<void> {
    const waitMs = this.#readAtMs + READ_AT_MOST_EVERY_MS - performance.now();
    if (waitMs > 0) await sleep(waitMs);
    this.#nextPoll = undefined;
    await this.#readAgain();
  }

  publicKeys(): ReadonlyArray<JsonWebKey & { kid: string }> {
    return [...this.#keys.values()].map(({ kid, publicKey }) => ({
      ...publicKey.export({ format: 'jwk' }),
      kid,
      alg: 'ES256',
      use: 'sig',
    }));
  }

  async stop(): Promise<void> {
    await this.#loop?.stop();
  }

  async #readAgain(): Promise<void> {
    try {
      await this.#read(this.tools.clock.nowMs());
    } catch (err) {
      this.tools.logger.error(
        { event: 'jwt_keys.reload_failed', err },
        'Token keys could not be reloaded; the last good keys stay',
      );
    }
  }

  async #read(nowMs: number): Promise<void> {
    this.#readAtMs = performance.now();
    const names = (await readdir(this.options.keysPath)).filter((name) => name.endsWith(EXTENSION)).sort();
    if (names.length === 0) throw new Error(`the folder of token keys has no ${EXTENSION} file`);
    const keys = await Promise.all(names.map((name) => this.#load(name, nowMs)));
    this.#keys = new Map(keys.map((key) => [key.kid, key]));
  }

  async #load(name: string, knownSinceMs: number): Promise<TokenKey> {
    const privateKey = createPrivateKey(await readFile(path.join(this.options.keysPath, name)));
    if (privateKey.asymmetricKeyDetails?.namedCurve !== 'prime256v1') throw new Error(`${name} is no P-256 key`);
    const kid = name.slice(0, -EXTENSION.length);
    const publicKey = createPublicKey(privateKey);
    const known = this.#keys.get(kid);
    // One that has not changed stays the same object: what was verified with it need not be verified again.
    return known?.publicKey.equals(publicKey) ? known : { kid, privateKey, publicKey, knownSinceMs };
  }
}

/** Signs ES256 tokens with the key whose turn it is. */
export function createTokenSigner(jwt: JwtService, keys: KeyFolder, names: TokenNames): TokenSigner {
  return {
    sign({ id, agentId, createdAtMs, authenticatedAtMs, expiresAtMs, token }, app) {
      const { kid, privateKey } = keys.signing;
      const times = { iat: createdAtMs / 1000, auth_time: authenticatedAtMs / 1000, exp: expiresAtMs / 1000 };
      const scoped = token && { tid: token.id, scope: token.scopes.join(' ') };
      const payload = { sub: agentId, jti: id, ...times, ...scoped, ...(app && { client_id: app.clientId }) };
      return jwt.signAsync(payload, {
        algorithm: 'ES256',
        keyid: kid,
        privateKey,
        issuer: names.issuer,
        audience: app?.audience ?? names.audience,
      });
    },
  };
}
