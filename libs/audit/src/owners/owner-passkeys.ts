import { toBase64Url, toHex } from '../bytes.js';
import type { PasskeyChanged } from '../generated/agentwallet/audit/v1/event.js';
import type { StoredEvent } from '../log/records.js';
import { isRegisteredKey } from './assertion.js';
import type { PasskeyProblem } from './cause.js';
import type { SignedDocument } from './document.js';
import { isDelayed, type ReplacedPasskeys } from './operator-acts.js';
import { findingAt, type OwnerFinding } from './owner-finding.js';

interface PasskeyEvent {
  readonly event: StoredEvent;
  readonly key: PasskeyChanged;
}

/** The passkeys of owners, from the owners' own chains. */
export class OwnerPasskeys {
  readonly #added: PasskeyEvent[] = [];
  readonly #removed: PasskeyEvent[] = [];
  #first: ReadonlyMap<string, PasskeyChanged> | undefined;

  /** Takes a change, in any order. */
  add(event: StoredEvent, key: PasskeyChanged): void {
    (key.action === 'added' ? this.#added : this.#removed).push({ event, key });
  }

  /** Returns the first passkey of a credential, also when it was removed later. Every change was taken before. */
  find(credentialId: Uint8Array): PasskeyChanged | undefined {
    this.#first ??= this.#sort();
    return this.#first.get(toHex(credentialId));
  }

  #sort(): ReadonlyMap<string, PasskeyChanged> {
    this.#added.sort((a, b) => a.event.sequence - b.event.sequence);
    // Set from the last to the first, so that the first stays.
    return new Map(this.#added.toReversed().map(({ key }) => [toHex(key.credentialId), key]));
  }

  /**
   * Lists the problems of all keys. The first of an owner is trusted, every later one and every removal needs a vote for
   * exactly that key, or a recovery.
   * @param approved changes that owners have signed, as `changeOfPasskey` writes them
   */
  findings(approved: ReadonlySet<string>, replaced: readonly ReplacedPasskeys[]): OwnerFinding[] {
    this.#first ??= this.#sort();
    const [owners, credentials] = [new Set<string>(), new Set<string>()];
    const added = this.#added.map(({ event, key }) => {
      const id = toHex(key.credentialId);
      const [isFirst, isKnown] = [!owners.has(key.ownerId), credentials.has(id)];
      owners.add(key.ownerId);
      credentials.add(id);
      if (isKnown) return findingOf(event, 'credential_added_before');
      if (event.agentId !== key.ownerId) return findingOf(event, 'in_chain_of_other_owner');
      if (!isRegisteredKey(key)) return findingOf(event, 'key_not_registered');
      const isApproved = isFirst || approved.has(changeOf('add', key)) || replaced.some((by) => isOf(by, event, key));
      return findingOf(event, isApproved ? undefined : 'passkey_not_approved');
    });
    const removed = this.#removed.map(({ event, key }) => {
      if (event.agentId !== key.ownerId) return findingOf(event, 'in_chain_of_other_owner');
      const isApproved = approved.has(changeOf('remove', key)) || replaced.some((by) => this.#isLost(by, event, key));
      return findingOf(event, isApproved ? undefined : 'removal_not_approved');
    });
    return [...added, ...removed].filter((finding) => finding !== undefined);
  }

  /** Returns whether a recovery, which followed, has replaced a passkey by one that was added before. */
  #isLost(by: ReplacedPasskeys, removal: StoredEvent, { ownerId, credentialId }: PasskeyChanged): boolean {
    if (by.ownerId !== ownerId || !isInTime(by, removal) || by.credentialId === toBase64Url(credentialId)) return false;
    return this.#added.some(
      ({ event, key }) =>
        toBase64Url(key.credentialId) === by.credentialId &&
        event.agentId === removal.agentId &&
        event.sequence < removal.sequence,
    );
  }
}

/** Returns one text for each owner, action, credential and key that a document names. */
export function changeOfPasskey({ owner, terms }: SignedDocument): string {
  return JSON.stringify([owner, terms.action, terms.credentialId, terms.coseKey]);
}

function changeOf(action: string, { ownerId, credentialId, coseKey }: PasskeyChanged): string {
  return JSON.stringify([ownerId, action, toBase64Url(credentialId), toBase64Url(coseKey)]);
}

/** Returns whether a change of a passkey belongs to a recovery: it came before the end, and after the operator's delay. */
function isInTime({ event, confirmed }: ReplacedPasskeys, change: StoredEvent): boolean {
  return event.sequence > change.sequence && (confirmed === undefined || isDelayed(confirmed, change));
}

/** Returns whether a passkey is the one with which a recovery, which followed, replaced the others. */
function isOf(by: ReplacedPasskeys, change: StoredEvent, key: PasskeyChanged): boolean {
  return (
    by.ownerId === key.ownerId &&
    isInTime(by, change) &&
    by.credentialId === toBase64Url(key.credentialId) &&
    by.coseKey === toBase64Url(key.coseKey)
  );
}

function findingOf(event: StoredEvent, code: PasskeyProblem | undefined): OwnerFinding | undefined {
  return code && findingAt(event, 'forged', { code });
}
