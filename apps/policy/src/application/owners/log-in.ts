import { randomBytes } from 'node:crypto';
import { challengeOf } from '../../domain/owners/document.js';
import { loginDocument, loginExpiry } from '../../domain/owners/login-document.js';
import { assertionInvalid, challengeInvalid } from '../../domain/owners/rejected-assertion.js';
import type { OwnerStore } from '../../ports/owner-store.js';
import { countRejections } from './count-rejections.js';
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

/** Makes the document of a login. Anyone may ask for one, so it is stored nowhere. */
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
    const document = loginDocument({ origin, expiresAtMs, nonce }, await this.owners.loginKey());
    return { document, expiresAtMs, rpId, origin };
  }
}

/** Says whose passkey signed the document of a login. */
export class VerifyLogin {
  constructor(
    private readonly owners: OwnerStore,
    private readonly console: OwnerConsole | undefined,
  ) {}

  /**
   * @param document what the passkey signed, as CreateLoginChallenge made it
   * @throws AppError OWNERS_NOT_CONFIGURED, ASSERTION_INVALID
   */
  execute(document: Buffer, assertionJson: string): Promise<{ readonly ownerId: string }> {
    return countRejections(() => this.#verify(document, assertionJson));
  }

  async #verify(document: Buffer, assertionJson: string): Promise<{ readonly ownerId: string }> {
    const { verifier, origin } = configured(this.console);
    const { credentialId } = verifier.readAssertion(assertionJson);
    const expiresAtMs = loginExpiry(document, origin, await this.owners.loginKey());
    const passkey = await this.owners.findPasskey(credentialId);
    if (expiresAtMs === undefined) throw challengeInvalid();
    if (!passkey) {
      throw assertionInvalid(
        'passkey',
        'This passkey is not registered here, or was removed. Log in with another one.',
      );
    }
    const challenge = challengeOf(document);
    const assertion = await verifier.verifyAssertion(assertionJson, { challenge, passkey });
    // Only a good signature leaves a row: strangers can neither fill the table nor use up a document.
    await this.owners.useLogin(passkey.ownerId, { challenge, expiresAtMs, assertion });
    return { ownerId: passkey.ownerId };
  }
}
