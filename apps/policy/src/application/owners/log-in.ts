import { AppError } from '@agent-wallet/kernel';
import { randomBytes } from 'node:crypto';
import { challengeOf, loginDocument } from '../../domain/owners/document.js';
import type { OwnerStore } from '../../ports/owner-store.js';
import { configured, type OwnerConsole } from './owner-console.js';

const NONCE_BYTES = 32;
const LOGIN_LIFETIME_MS = 300_000;

/** A document to log in with. */
export interface LoginChallenge {
  readonly document: Buffer;
  readonly expiresAtMs: number;
  readonly rpId: string;
  readonly origin: string;
}

/** Makes the document of a login. */
export class CreateLoginChallenge {
  constructor(
    private readonly owners: OwnerStore,
    private readonly console: OwnerConsole | undefined,
  ) {}

  /** @throws AppError OWNERS_NOT_CONFIGURED */
  async execute(): Promise<LoginChallenge> {
    const { origin, rpId } = configured(this.console);
    const expiresAtMs = (await this.owners.nowMs()) + LOGIN_LIFETIME_MS;
    const nonce = randomBytes(NONCE_BYTES).toString('base64url');
    const document = loginDocument({ origin, expiresAtMs, nonce });
    await this.owners.keepChallenge(challengeOf(document), { purpose: 'login' }, expiresAtMs);
    return { document, expiresAtMs, rpId, origin };
  }
}

/** Says whose passkey signed the document of a login. */
export class VerifyLogin {
  constructor(
    private readonly owners: OwnerStore,
    private readonly console: OwnerConsole | undefined,
  ) {}

  /** @throws AppError OWNERS_NOT_CONFIGURED, ASSERTION_INVALID */
  async execute(assertionJson: string): Promise<{ readonly ownerId: string }> {
    const { verifier } = configured(this.console);
    const { credentialId, challenge } = verifier.readAssertion(assertionJson);
    // Taken first: a document is good for one try.
    const isOurs = await this.owners.takeChallenge(challenge, { purpose: 'login' });
    const passkey = await this.owners.findPasskey(credentialId);
    if (!isOurs || !passkey)
      throw new AppError('ASSERTION_INVALID', { cause: 'the challenge or the passkey is unknown' });
    const assertion = await verifier.verifyAssertion(assertionJson, { challenge, passkey });
    await this.owners.countSignature(passkey.ownerId, assertion);
    return { ownerId: passkey.ownerId };
  }
}
