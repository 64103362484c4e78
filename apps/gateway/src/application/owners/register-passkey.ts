import type { policyV1 } from '@agent-wallet/contracts';
import { AppError, type Clock } from '@agent-wallet/kernel';
import { isMailFresh, type OwnerSession } from '../../domain/owner-session.js';
import { ownerUnauthenticated } from '../../domain/unauthenticated.js';
import type { OwnersService } from '../../ports/owners-service.js';
import type { LogInOwner, MadePasskey, OpenedSession } from './log-in-owner.js';
import { assertSameConsole } from './same-console.js';

/** The result of a registration: the first passkey is stored and opens a session, others need a signature. */
type RegisteredPasskey =
  | { readonly approval: policyV1.Approval; readonly opened?: undefined }
  | { readonly approval?: undefined; readonly opened: OpenedSession };

/** Registers passkeys: the first right after a login by mail, others by an approval. */
export class RegisterPasskey {
  constructor(
    private readonly dependencies: {
      readonly service: OwnersService;
      readonly logins: LogInOwner;
      readonly clock: Clock;
      readonly origin: string | undefined;
    },
  ) {}

  /** Returns an owner's passkeys. */
  passkeys({ owner }: OwnerSession): Promise<policyV1.Passkey[]> {
    return this.dependencies.service.passkeys(owner.id);
  }

  /** Returns a browser's inputs for creating a passkey. @throws AppError AUTHENTICATION_ERROR */
  async options(session: OwnerSession) {
    const passkeys = await this.#mayRegister(session);
    const challenge = await this.dependencies.service.passkeyChallenge(session.owner.id);
    assertSameConsole(this.dependencies.origin, challenge.origin);
    return { ...challenge, passkeys };
  }

  /** @throws AppError AUTHENTICATION_ERROR, ASSERTION_INVALID, VALIDATION_ERROR, POLICY_VIOLATION */
  async register(session: OwnerSession, made: MadePasskey): Promise<RegisteredPasskey> {
    const { service, logins, clock } = this.dependencies;
    const passkeys = await this.#mayRegister(session);
    if (passkeys.length === 0 && !isMailFresh(session, clock.nowMs())) throw ownerUnauthenticated('login_too_old');
    const approval = await service.addPasskey(session.owner.id, made.registrationJson);
    return approval ? { approval } : { opened: await logins.goOnByPasskey(session, made) };
  }

  /**
   * Returns a browser's inputs for creating the passkey that replaces lost ones.
   * @throws AppError AUTHENTICATION_ERROR, VALIDATION_ERROR for an owner without a passkey
   */
  async recoveryOptions(session: OwnerSession) {
    const passkeys = await this.passkeys(session);
    if (passkeys.length === 0) throw AppError.field('body', 'is for an owner who has a passkey. Register one.');
    const challenge = await this.dependencies.service.passkeyChallenge(session.owner.id);
    assertSameConsole(this.dependencies.origin, challenge.origin);
    return { ...challenge, passkeys };
  }

  /**
   * Requests that a passkey replaces those that the owner has lost. An operator confirms it, or another owner signs it.
   * @throws AppError AUTHENTICATION_ERROR, ASSERTION_INVALID, VALIDATION_ERROR, POLICY_VIOLATION
   */
  recover(session: OwnerSession, registrationJson: string): Promise<policyV1.Approval> {
    if (!isMailFresh(session, this.dependencies.clock.nowMs())) throw ownerUnauthenticated('login_too_old');
    return this.dependencies.service.recover(session.owner.id, registrationJson);
  }

  /** @throws AppError AUTHENTICATION_ERROR for a session by mail once the owner has a passkey */
  async #mayRegister(session: OwnerSession): Promise<policyV1.Passkey[]> {
    const passkeys = await this.passkeys(session);
    if (session.authenticatedBy === 'mail' && passkeys.length > 0) throw ownerUnauthenticated('passkey_required');
    return passkeys;
  }
}
