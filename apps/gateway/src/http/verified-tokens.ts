import { createHash } from 'node:crypto';
import { RecentlyUsed } from '@agent-wallet/kernel';

const KEPT_AT_MOST = 10_000;

/**
 * Tokens whose signature need not be verified again: a signature does not change. What does change (the key's folder, the
 * time, the session) is looked at on every request by whoever asks here. Those used last are kept, by their digest: no token
 * stays in memory because of this.
 */
export class VerifiedTokens<Verified> {
  readonly #byDigest: RecentlyUsed<Verified>;

  constructor(keptAtMost = KEPT_AT_MOST) {
    this.#byDigest = new RecentlyUsed(keptAtMost);
  }

  find(token: string): Verified | undefined {
    return this.#byDigest.use(digestOf(token));
  }

  keep(token: string, verified: Verified): void {
    this.#byDigest.keep(digestOf(token), verified);
  }
}

function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('base64');
}
