import { createHash } from 'node:crypto';

const KEPT_AT_MOST = 10_000;

/**
 * Tokens whose signature need not be verified again: a signature does not change. What does change (the key's folder, the
 * time, the session) is looked at on every request by whoever asks here. The newest are kept, by their digest: no token
 * stays in memory because of this.
 */
export class VerifiedTokens<Verified> {
  readonly #byDigest = new Map<string, Verified>();

  constructor(private readonly keptAtMost = KEPT_AT_MOST) {}

  find(token: string): Verified | undefined {
    return this.#byDigest.get(digestOf(token));
  }

  keep(token: string, verified: Verified): void {
    const [oldest] = this.#byDigest.keys();
    if (this.#byDigest.size >= this.keptAtMost && oldest !== undefined) this.#byDigest.delete(oldest);
    this.#byDigest.set(digestOf(token), verified);
  }
}

function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('base64');
}
