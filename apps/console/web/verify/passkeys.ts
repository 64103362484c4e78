import {
  isRegisteredKey,
  type Json,
  type PasskeyChanged,
  type SignedDocument,
  toBase64Url,
  toHex,
} from '@agent-wallet/audit';
import type { Finding, PasskeyProblem, Place } from './report.js';

/** A passkey that was added or removed, and where. */
export interface PasskeyEvent extends Place {
  /** Unix milliseconds. */
  readonly atMs: number;
  readonly key: PasskeyChanged;
}

/** A recovery that is valid: its passkey replaces all of an owner. */
export interface Recovery {
  /** Owner in whose chain it is. */
  readonly ownerId: string;
  /** Event of its end, which follows on the changes. */
  readonly sequence: number;
  /** The earliest time of the changes, in Unix milliseconds; 0 with the signature of another owner. */
  readonly notBeforeMs: number;
  readonly terms: Json;
}

/** The passkeys of owners, from the owners' own chains. */
export class Passkeys {
  readonly #added: PasskeyEvent[] = [];
  readonly #removed: PasskeyEvent[] = [];
  /** The first passkey added of each credential, by its ID in hex. */
  readonly #first = new Map<string, PasskeyChanged>();

  /** Takes an event, in the order of its chain. */
  add(event: PasskeyEvent): void {
    if (event.key.action !== 'added') {
      this.#removed.push(event);
      return;
    }
    this.#added.push(event);
    const id = toHex(event.key.credentialId);
    if (!this.#first.has(id)) this.#first.set(id, event.key);
  }

  /** Returns the passkey of a credential, also when it was removed later. */
  find(credentialId: Uint8Array): PasskeyChanged | undefined {
    return this.#first.get(toHex(credentialId));
  }

  /**
   * Lists the problems of all keys. The first of an owner is trusted, every later one and every removal needs a vote for
   * exactly that key, or a recovery.
   * @param approved changes that owners have signed, as `signedChange` writes them
   */
  findings(approved: ReadonlySet<string>, recoveries: readonly Recovery[]): Finding[] {
    const [owners, credentials] = [new Set<string>(), new Set<string>()];
    const added = this.#added.map((event) => {
      const { ownerId, credentialId } = event.key;
      const id = toHex(credentialId);
      const [isFirst, isKnown] = [!owners.has(ownerId), credentials.has(id)];
      owners.add(ownerId);
      credentials.add(id);
      if (isKnown) return findingOf(event, 'added_before');
      const isRecovered = recoveries.some((recovery) => recovers(recovery, event));
      const isApproved = isFirst || isRecovered || approved.has(changeOf('add', event.key));
      return findingOf(event, problemOfKey(event) ?? (isApproved ? undefined : 'not_approved'));
    });
    const removed = this.#removed.map((event) => {
      if (event.subject !== event.key.ownerId) return findingOf(event, 'other_chain');
      const isRecovered = recoveries.some((recovery) => this.#replaces(recovery, event));
      const isApproved = isRecovered || approved.has(changeOf('remove', event.key));
      return findingOf(event, isApproved ? undefined : 'removal_not_approved');
    });
    return [...added, ...removed].filter((finding) => finding !== undefined);
  }

  /** Reports whether a key was removed between the addition of a recovery's key and the recovery's end. */
  #replaces(recovery: Recovery, { subject, sequence, key }: PasskeyEvent): boolean {
    const added = this.#added.find((event) => recovers(recovery, event));
    if (!added || subject !== recovery.ownerId || toBase64Url(key.credentialId) === recovery.terms.credentialId) {
      return false;
    }
    return added.sequence < sequence && sequence < recovery.sequence;
  }
}

/** Returns one text for each owner, action, credential and key that a document names. */
export function signedChange({ owner, terms }: SignedDocument): string {
  return JSON.stringify([owner, terms.action, terms.credentialId, terms.coseKey]);
}

function recovers({ ownerId, sequence, notBeforeMs, terms }: Recovery, event: PasskeyEvent): boolean {
  const { credentialId, coseKey } = event.key;
  if (event.subject !== ownerId || event.sequence > sequence || event.atMs < notBeforeMs) return false;
  return toBase64Url(credentialId) === terms.credentialId && toBase64Url(coseKey) === terms.coseKey;
}

function changeOf(action: string, { ownerId, credentialId, coseKey }: PasskeyChanged): string {
  return JSON.stringify([ownerId, action, toBase64Url(credentialId), toBase64Url(coseKey)]);
}

function problemOfKey({ subject, key }: PasskeyEvent): PasskeyProblem | undefined {
  if (subject !== key.ownerId) return 'other_chain';
  return isRegisteredKey(key) ? undefined : 'other_key';
}

function findingOf(event: PasskeyEvent, what: PasskeyProblem | undefined): Finding | undefined {
  const { subject, eventId, sequence, key } = event;
  return what && { code: 'passkey_invalid', subject, eventId, sequence, ownerId: key.ownerId, what };
}
