import type { policyV1 } from '@agent-wallet/contracts';
import { AppError, type Clock, newId } from '@agent-wallet/kernel';
import { sessionNetwork } from '../../domain/client-network.js';
import type { Owner, OwnerSession } from '../../domain/owner-session.js';
import { RateLimited } from '../../domain/rate-limits.js';
import { hashSecret, newSecret } from '../../domain/secrets.js';
import { ownerUnauthenticated } from '../../domain/unauthenticated.js';
import type { NewOwnerSession, OwnerStore } from '../../ports/owner-store.js';
import type { OwnersService } from '../../ports/owners-service.js';
import type { RateLimiter } from '../../ports/rate-limiter.js';
import type { SentOtp, SpendOtp } from '../connect/spend-otp.js';
import { assertSameConsole } from './same-console.js';

/** Dependencies of owners' logins. */
interface OwnerLoginDependencies {
  readonly codes: SpendOtp;
  readonly owners: OwnerStore;
  readonly service: OwnersService;
  readonly limiter: RateLimiter;
  readonly clock: Clock;
  /** Origin at which owners sign; undefined in a deployment without owners. */
  readonly origin: string | undefined;
}

/** A session that was opened: its token goes into the cookie and is kept nowhere else. */
export interface OpenedSession {
  readonly owner: Owner;
  readonly token: string;
}

/** A passkey that a browser has made. */
export interface MadePasskey {
  readonly registrationJson: string;
  /** The browser's network. */
  readonly client: string;
}

/** Opens sessions of owners: by a mailed code until there is a passkey, then by the passkey. */
export class LogInOwner {
  constructor(private readonly dependencies: OwnerLoginDependencies) {}

  /**
   * Opens a session by a mailed code. Where the owner has a passkey, it is good for what looks and what is safe alone.
   * @throws RateLimited, AppError AUTHENTICATION_ERROR, or what policy throws
   */
  async byMail(sent: SentOtp): Promise<OpenedSession & { readonly isPasskeyRequired: boolean }> {
    const { codes, owners, service } = this.dependencies;
    // Asked first, so that an outage of policy costs no code. An unknown address takes as long as a known one.
    const passkeys = await service.passkeys((await owners.idOf(sent.email)) ?? newId());
    const token = newSecret();
    const owner = await codes.spend(sent, { purpose: 'owner_login' }, (otp) =>
      owners.openByMail(opening(token, sent.client), otp),
    );
    if (!owner) throw ownerUnauthenticated('wrong_code');
    return { owner, token, isPasskeyRequired: passkeys.length > 0 };
  }

  /** Returns a document to sign with a passkey. It costs no row, so only the limit of every request bounds it. */
  async challenge() {
    const { service, origin } = this.dependencies;
    const challenge = await service.loginChallenge();
    assertSameConsole(origin, challenge.origin);
    return challenge;
  }

  /**
   * @param earlier the session that the browser has, which ends
   * @throws RateLimited, AppError ASSERTION_INVALID, AUTHENTICATION_ERROR
   */
  async byPasskey(
    login: policyV1.VerifyLoginRequest,
    client: string,
    earlier: { readonly token: string | undefined },
  ): Promise<OpenedSession> {
    const { owners } = this.dependencies;
    const ownerId = await this.#verified(login, client);
    const tokenHash = earlier.token === undefined ? undefined : hashSecret(earlier.token);
    const session = tokenHash && (await owners.use(tokenHash));
    const mailProvenAtMs = session?.owner.id === ownerId ? session.mailProvenAtMs : undefined;
    const token = newSecret();
    const verified = { ownerId, mailProvenAtMs, credentialId: credentialIn(login.assertionJson) };
    const owner = await owners.openByPasskey(opening(token, client), verified, { ends: 'one', tokenHash });
    if (!owner) throw ownerUnauthenticated('expired');
    return { owner, token };
  }

  /**
   * Ends every session that a mail opened, after the first passkey. The one that registered it goes on by the passkey.
   */
  async goOnByPasskey(
    { owner: { id: ownerId }, mailProvenAtMs }: OwnerSession,
    { registrationJson, client }: MadePasskey,
  ): Promise<OpenedSession> {
    const token = newSecret();
    const login = { ownerId, mailProvenAtMs, credentialId: credentialIn(registrationJson) };
    const owner = await this.dependencies.owners.openByPasskey(opening(token, client), login, { ends: 'all' });
    if (!owner) throw ownerUnauthenticated('expired');
    return { owner, token };
  }

  async end(token: string): Promise<void> {
    await this.dependencies.owners.end(hashSecret(token));
  }

  /**
   * Has policy verify a login, and counts those that it rejects. A good signature always passes: nothing that others of the
   * network send keeps an owner out.
   */
  async #verified(login: policyV1.VerifyLoginRequest, client: string): Promise<string> {
    const { service, limiter, clock } = this.dependencies;
    try {
      return await service.verifyLogin(login);
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'ASSERTION_INVALID') throw error;
      const window = await limiter.take('passkey', client);
      throw window.remaining < 0 ? new RateLimited('passkey', window, clock.nowMs()) : error;
    }
  }
}

function opening(token: string, client: string): NewOwnerSession {
  return { tokenHash: hashSecret(token), network: sessionNetwork(client) };
}

/** Returns the id of the passkey that policy has checked this assertion or registration of. */
function credentialIn(json: string): Buffer {
  const { id } = JSON.parse(json) as { readonly id: string };
  return Buffer.from(id, 'base64url');
}
