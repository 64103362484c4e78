import { AppError, notFound } from '@agent-wallet/kernel';
import { randomBytes } from 'node:crypto';
import { type Approval, MAX_PASSKEYS, RECOVERY_LIFETIME_HOURS } from '../../domain/owners/approval.js';
import { termsOf } from '../../domain/owners/document.js';
import { challengeInvalid } from '../../domain/owners/rejected-assertion.js';
import type { ApprovalStore, KnownWhenRequested } from '../../ports/approval-store.js';
import type { OwnerStore, Passkey } from '../../ports/owner-store.js';
import { countRejections } from './count-rejections.js';
import { HOUR_MS, newApproval } from './new-approval.js';
import { configured, type OwnerConsole } from './owner-console.js';

const CHALLENGE_BYTES = 32;
const CHALLENGE_LIFETIME_MS = 600_000;

/** A challenge to register a passkey with. */
export interface PasskeyChallenge {
  readonly challenge: Buffer;
  readonly expiresAtMs: number;
  readonly rpId: string;
  readonly origin: string;
}

/** Makes the challenge of a registration. */
export class CreatePasskeyChallenge {
  constructor(
    private readonly owners: OwnerStore,
    private readonly console: OwnerConsole | undefined,
  ) {}

  /** @throws AppError OWNERS_NOT_CONFIGURED */
  async execute(ownerId: string): Promise<PasskeyChallenge> {
    const { rpId, origin } = configured(this.console);
    const challenge = randomBytes(CHALLENGE_BYTES);
    const expiresAtMs = (await this.owners.nowMs()) + CHALLENGE_LIFETIME_MS;
    await this.owners.keepChallenge(challenge, ownerId, expiresAtMs);
    return { challenge, expiresAtMs, rpId, origin };
  }
}

/** Adds a passkey: the first at once, others once an existing one has signed for them. */
export class AddPasskey {
  constructor(
    private readonly owners: OwnerStore,
    private readonly approvals: ApprovalStore,
    private readonly console: OwnerConsole | undefined,
  ) {}

  /**
   * @param recovers whether it is to replace every passkey of an owner who has lost them: an operator confirms that
   * @returns the approval that adds it; undefined when it was the first and is stored
   * @throws AppError OWNERS_NOT_CONFIGURED, ASSERTION_INVALID, VALIDATION_ERROR, POLICY_VIOLATION
   */
  execute(ownerId: string, registrationJson: string, recovers = false): Promise<Approval | undefined> {
    return countRejections(() => this.#add(ownerId, registrationJson, recovers));
  }

  async #add(ownerId: string, registrationJson: string, recovers: boolean): Promise<Approval | undefined> {
    const { origin, verifier } = configured(this.console);
    const challenge = verifier.readRegistrationChallenge(registrationJson);
    const isOurs = await this.owners.takeChallenge(challenge, ownerId);
    if (!isOurs) throw challengeInvalid();
    const registration = await verifier.verifyRegistration(registrationJson, challenge);
    if (!recovers && (await this.owners.addFirstPasskey(ownerId, registration))) return undefined;
    const key = {
      credentialId: registration.credentialId.toString('base64url'),
      coseKey: registration.coseKey.toString('base64url'),
    };
    if (recovers) {
      const about = { kind: 'recovery', terms: key } as const;
      const lifetimeMs = RECOVERY_LIFETIME_HOURS * HOUR_MS;
      return this.approvals.request({ kind: 'recovery', ownerId }, (known) => {
        if (known.passkeys.length === 0)
          throw AppError.field('registrationJson', 'cannot replace a passkey: the owner has none. Add it instead.');
        return newApproval(known, { origin, ownerId, about, registration, lifetimeMs });
      });
    }
    const terms = { action: 'add', ...key } as const;
    return this.approvals.request({ kind: 'passkey', ownerId }, (known) => {
      if (known.passkeys.length >= MAX_PASSKEYS) {
        throw AppError.field('registrationJson', `exceeds the limit of ${MAX_PASSKEYS} passkeys. Remove one first.`);
      }
      return newApproval(known, { origin, ownerId, about: { kind: 'passkey', terms }, registration });
    });
  }
}

/** Asks for the removal of a passkey. */
export class RemovePasskey {
  constructor(
    private readonly approvals: ApprovalStore,
    private readonly console: OwnerConsole | undefined,
  ) {}

  /** @throws AppError OWNERS_NOT_CONFIGURED, NOT_FOUND, VALIDATION_ERROR for the last one, POLICY_VIOLATION */
  execute(ownerId: string, credentialId: Buffer): Promise<Approval> {
    const { origin } = configured(this.console);
    return this.approvals.request({ kind: 'passkey', ownerId }, (known) => {
      const passkey = known.passkeys.find((each) => each.credentialId.equals(credentialId));
      if (!passkey) throw notFound('passkey', 'Check its id.');
      if (known.passkeys.length === 1) {
        throw AppError.field('credentialId', 'is the last passkey. Add another one first.');
      }
      return pendingRemoval(known, passkey) ?? newApproval(known, { origin, ownerId, about: removalOf(passkey) });
    });
  }
}

function removalOf({ credentialId, coseKey }: Passkey) {
  const terms = {
    action: 'remove',
    credentialId: credentialId.toString('base64url'),
    coseKey: coseKey.toString('base64url'),
  } as const;
  return { kind: 'passkey', terms } as const;
}

function pendingRemoval({ pending }: KnownWhenRequested, { credentialId }: Passkey): Approval | undefined {
  return pending.find(({ document }) => {
    const terms = termsOf('passkey', document);
    return terms.action === 'remove' && terms.credentialId === credentialId.toString('base64url');
  });
}
