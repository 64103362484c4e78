import { auditV1 } from '@agent-wallet/contracts';
import type { StoredEvent } from '@agent-wallet/contracts/audit';
import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { OwnedChanges } from './owned-changes.js';
import { findingAt, type OwnerFinding, type OwnerVerdict } from './owner-finding.js';
import { Recoveries } from './recoveries.js';

/**
 * Checks what owners have signed, from the log alone and with nothing but node:crypto: a second implementation, which shares
 * no code with the service that verified the signatures first.
 */

const USER_PRESENT = 1;
const USER_VERIFIED = 4;
const HASH_BYTES = 32;
/** Hash of the relying party, flags, counter. */
const AUTHENTICATOR_DATA_BYTES = 37;
const AAGUID_BYTES = 16;

interface Decided {
  readonly event: StoredEvent;
  readonly vote: auditV1.ApprovalDecided;
}

/** The effect of a claim that was signed some time before. */
interface Effect {
  readonly event: StoredEvent;
  readonly approvalId: string;
}

interface AddedPasskey {
  readonly event: StoredEvent;
  readonly key: auditV1.PasskeyChanged;
}

/** The fields of a signed document that are checked. */
interface SignedDocument {
  readonly id: string;
  readonly kind: string;
  readonly origin: string;
  readonly owner: string;
  readonly agent: string | undefined;
  /** Action on the passkey, for that kind alone. */
  readonly action: string | undefined;
  readonly credentialId: string | undefined;
  readonly coseKey: string | undefined;
  readonly terms: Readonly<Record<string, unknown>>;
}

/**
 * Collects approvals, votes and passkeys of a whole log, and checks each vote and each key against them. An event that
 * cannot be read becomes a finding and never an error: anything can be in the log.
 */
export class OwnerSignatures {
  readonly #requests = new Map<string, { readonly event: StoredEvent; readonly document: Buffer }>();
  /** Event that closed each approval, in the chain of its agent. */
  readonly #closed = new Map<string, StoredEvent>();
  readonly #added: AddedPasskey[] = [];
  /** The first passkey added of each credential, by its ID in hex. Filled by `finish`. */
  readonly #passkeys = new Map<string, auditV1.PasskeyChanged>();
  readonly #removed: AddedPasskey[] = [];
  readonly #votes: Decided[] = [];
  readonly #effects: Effect[] = [];
  readonly #recoveries = new Recoveries();
  readonly #changes = new OwnedChanges(this.#recoveries);

  /** @param origin of the console; every document must name it. Any origin when omitted. */
  constructor(private readonly origin?: string) {}

  /** Takes an event, in any order. One that cannot be read is reported by the check of the chains. */
  add(event: StoredEvent): void {
    const fact = readFact(event);
    this.#changes.add(event, fact);
    if (fact?.$case === 'operatorActed' && fact.value.action === 'start_recovery') this.#recoveries.add(event.position);
    if (fact?.$case === 'approvalRequested') {
      this.#requests.set(fact.value.approvalId, { event, document: fact.value.document });
    }
    if (fact?.$case === 'approvalClosed') this.#addClosed(event, fact.value);
    if (fact?.$case === 'approvalDecided') this.#votes.push({ event, vote: fact.value });
    if (fact?.$case !== 'passkeyChanged') return;
    const passkey = { event, key: fact.value };
    (fact.value.action === 'added' ? this.#added : this.#removed).push(passkey);
  }

  #addClosed(event: StoredEvent, { approvalId, state }: auditV1.ApprovalClosed): void {
    this.#closed.set(approvalId, event);
    if (state === 'applied') this.#effects.push({ event, approvalId });
  }

  /** Lists the problems of votes and keys, and what was changed without a vote. */
  finish(): OwnerVerdict {
    const state: Decisions = { decided: new Set(), delayed: new Map(), claims: new Map(), passkeys: new Set() };
    this.#added.sort((a, b) => a.event.sequence - b.event.sequence);
    // Set from the last to the first, so that the first stays.
    for (const { key } of this.#added.toReversed()) this.#passkeys.set(key.credentialId.toString('hex'), key);
    const votes = [...this.#votes, ...this.#effects]
      .sort((a, b) => a.event.sequence - b.event.sequence)
      .map((each) =>
        findingOf(
          each.event,
          orProblem(() => ('vote' in each ? this.#problemOfVote(each, state) : this.#problemOfEffect(each, state))),
        ),
      );
    const keys = [...this.#findingsOfAdded(state), ...this.#findingsOfRemoved(state)];
    const { findings, explained } = this.#changes.finish();
    return { findings: [...votes, ...keys, ...findings].filter((finding) => finding !== undefined), explained };
  }

  /** Notes what a vote without a problem has decided. */
  #problemOfVote({ event, vote }: Decided, state: Decisions): string | undefined {
    const document = readDocument(this.#requests.get(vote.approvalId)?.document, vote.documentHash);
    if (typeof document === 'string') return document;
    const problem =
      this.#problemOfDecision({ event, vote }, document, state) ?? this.#problemOfSigner({ event, vote }, document);
    if (problem) return problem;
    state.decided.add(vote.approvalId);
    if (document.kind === 'claim' && vote.outcome === 'approved') {
      state.delayed.set(vote.approvalId, { agentId: event.agentId, ownerId: vote.ownerId, document });
      return undefined;
    }
    this.#allow(event, document, vote);
    if (vote.outcome !== 'applied') return undefined;
    if (document.kind === 'claim') state.claims.set(event.agentId, { event, ownerId: vote.ownerId });
    if (document.kind === 'passkey') state.passkeys.add(changeOfPasskey(document));
    return undefined;
  }

  /** Notes that a claim took effect. @returns why it may not */
  #problemOfEffect({ event, approvalId }: Effect, { delayed, claims }: Decisions): string | undefined {
    const claim = delayed.get(approvalId);
    if (claim?.agentId !== event.agentId) return 'its claim was not signed before';
    if (this.#isClaimed(event, claims)) return 'the agent had an owner already';
    claims.set(event.agentId, { event, ownerId: claim.ownerId });
    this.#allow(event, claim.document, { approvalId, ownerId: claim.ownerId, outcome: 'applied' });
    return undefined;
  }

  #allow(
    event: StoredEvent,
    { kind, terms }: SignedDocument,
    { approvalId, ownerId, outcome }: Pick<auditV1.ApprovalDecided, 'approvalId' | 'ownerId' | 'outcome'>,
  ): void {
    const request = this.#requests.get(approvalId)?.event;
    const requestedAt = request?.agentId === event.agentId ? request.sequence : 0;
    this.#changes.allow({ event, approvalId, requestedAt, ownerId, kind, terms, isApplied: outcome === 'applied' });
  }

  /** Returns whether an agent has an owner whom no recovery may have forgotten. */
  #isClaimed(event: StoredEvent, claims: Decisions['claims']): boolean {
    const claim = claims.get(event.agentId);
    return claim !== undefined && !this.#recoveries.isBetween(claim.event.position, event.position);
  }

  /** Returns why the state before a vote does not allow it. */
  #problemOfDecision({ event, vote }: Decided, document: SignedDocument, state: Decisions): string | undefined {
    const { decided, claims } = state;
    const closed = this.#closed.get(vote.approvalId);
    if (document.id !== vote.approvalId) return 'its document is of another approval';
    if ((document.agent ?? document.owner) !== event.agentId) return 'its document is of another agent';
    if (this.origin !== undefined && document.origin !== this.origin) return 'its document names another console';
    if (decided.has(vote.approvalId)) return 'the approval was decided before';
    if (closed?.agentId === event.agentId && closed.sequence < event.sequence) return 'the approval was closed before';
    const isClaim = document.kind === 'claim' && vote.outcome !== 'superseded';
    return isClaim && this.#isClaimed(event, claims)
      ? 'the agent had an owner already'
      : this.#problemOfOwner(document, vote, claims);
  }

  #problemOfOwner(
    { kind, owner, agent }: SignedDocument,
    { ownerId }: auditV1.ApprovalDecided,
    claims: Decisions['claims'],
  ): string | undefined {
    const isOfAgent = kind === 'policy' || kind === 'operation' || kind === 'unfreeze';
    const mayDecide = isOfAgent ? agent !== undefined && claims.get(agent)?.ownerId === ownerId : owner === ownerId;
    return mayDecide ? undefined : 'it was signed by one who is not its owner';
  }

  #problemOfSigner({ vote }: Decided, document: SignedDocument): string | undefined {
    const passkey = this.#passkeys.get(vote.credentialId.toString('hex'));
    if (passkey?.ownerId !== vote.ownerId) return 'its passkey is not one of the owner in the log';
    return problemOfAssertion(vote, document, passkey);
  }

  /** Trusts the first passkey of an owner; each later one needs a vote of that owner for exactly that key. */
  #findingsOfAdded({ passkeys }: Decisions): Array<OwnerFinding | undefined> {
    const [owners, credentials] = [new Set<string>(), new Set<string>()];
    return this.#added.map(({ event, key }) => {
      const id = key.credentialId.toString('hex');
      const [isFirst, isKnown] = [!owners.has(key.ownerId), credentials.has(id)];
      owners.add(key.ownerId);
      credentials.add(id);
      if (isKnown) return findingOf(event, 'its credential was added before');
      if (event.agentId !== key.ownerId) return findingOf(event, 'it is in the chain of another owner');
      if (!isRegisteredKey(key)) return findingOf(event, 'its key is not the one in its attestation object');
      const isApproved = isFirst || passkeys.has(changeOf('add', key));
      return findingOf(event, isApproved ? undefined : 'no passkey of the owner has approved it');
    });
  }

  #findingsOfRemoved({ passkeys }: Decisions): Array<OwnerFinding | undefined> {
    return this.#removed.map(({ event, key }) => {
      if (event.agentId !== key.ownerId) return findingOf(event, 'it is in the chain of another owner');
      const isApproved = passkeys.has(changeOf('remove', key));
      return findingOf(event, isApproved ? undefined : 'no passkey of the owner has approved its removal');
    });
  }
}

/** Decisions of votes without a problem so far, each agent's in the order of its chain. */
interface Decisions {
  /** Approvals. */
  readonly decided: Set<string>;
  /** Claims that are signed and take effect later, by their approval. */
  readonly delayed: Map<
    string,
    { readonly agentId: string; readonly ownerId: string; readonly document: SignedDocument }
  >;
  /** The owner of each claimed agent. */
  readonly claims: Map<string, { readonly event: StoredEvent; readonly ownerId: string }>;
  /** Changes of passkeys, see `changeOfPasskey`. */
  readonly passkeys: Set<string>;
}

/** Returns one text for each owner, action, credential and key. */
function changeOfPasskey({
  owner,
  action,
  credentialId,
  coseKey,
}: Pick<SignedDocument, 'owner' | 'action' | 'credentialId' | 'coseKey'>): string {
  return [owner, action, credentialId, coseKey].join('|');
}

function changeOf(action: string, { ownerId, credentialId, coseKey }: auditV1.PasskeyChanged): string {
  return changeOfPasskey({
    owner: ownerId,
    action,
    credentialId: credentialId.toString('base64url'),
    coseKey: coseKey.toString('base64url'),
  });
}

/** Returns the problem, or that the check itself failed on its input. */
function orProblem(check: () => string | undefined): string | undefined {
  try {
    return check();
  } catch {
    return 'it cannot be read';
  }
}

/** Reads a document with the hash that was signed; otherwise returns what is wrong with it. */
function readDocument(bytes: Buffer | undefined, hash: Buffer): SignedDocument | string {
  if (!bytes) return 'the document that it approves is not in the log';
  if (!sha256(bytes).equals(hash)) return 'its document is not the one that was requested';
  const { id, kind, origin, owner, agent, terms } = objectOf(JSON.parse(bytes.toString()));
  const { action, credentialId, coseKey } = objectOf(terms);
  if (typeof id !== 'string' || typeof kind !== 'string' || typeof origin !== 'string' || typeof owner !== 'string') {
    return 'its document lacks a field';
  }
  const [agentText, actionText, credentialText, keyText] = [agent, action, credentialId, coseKey].map(textOrNone);
  return {
    id,
    kind,
    origin,
    owner,
    agent: agentText,
    action: actionText,
    credentialId: credentialText,
    coseKey: keyText,
    terms: objectOf(terms),
  };
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

function textOrNone(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function problemOfAssertion(
  vote: auditV1.ApprovalDecided,
  { origin }: SignedDocument,
  passkey: auditV1.PasskeyChanged,
): string | undefined {
  const { clientDataJson, authenticatorData, documentHash, signature } = vote;
  const client = parseClientData(clientDataJson);
  if (client?.type !== 'webauthn.get') return 'its client data are not those of an assertion';
  if (client.challenge !== documentHash.toString('base64url')) return 'its challenge is not the hash of the document';
  if (client.origin !== origin || client.crossOrigin === true) return 'it was signed at another origin';
  if (authenticatorData.length < AUTHENTICATOR_DATA_BYTES) return 'its authenticator data are too short';
  const rpIdHash = authenticatorData.subarray(0, HASH_BYTES);
  if (!relyingPartiesOf(origin).some((rpId) => sha256(Buffer.from(rpId)).equals(rpIdHash))) {
    return 'it was signed for another relying party';
  }
  const flags = authenticatorData[HASH_BYTES]!;
  if (!(flags & USER_PRESENT && flags & USER_VERIFIED)) return 'its user was not verified';
  const key = publicKeyOf(passkey.coseKey);
  const signed = Buffer.concat([authenticatorData, sha256(clientDataJson)]);
  const isSigned = key && verify(key.asymmetricKeyType === 'ed25519' ? null : 'sha256', signed, key, signature);
  return isSigned ? undefined : 'its signature is not that of the passkey';
}

/** Returns the host of an origin, and the domains above it but the last. */
function relyingPartiesOf(origin: string): string[] {
  const labels = new URL(origin).hostname.split('.');
  const parents = labels.map((_, n) => labels.slice(n).join('.')).filter((name) => name.includes('.'));
  return [new URL(origin).hostname, ...parents];
}

/**
 * Returns whether the attestation object has the same credential: its ID, then its key, at the end or before
 * extensions.
 */
function isRegisteredKey({ attestationObject, credentialId, coseKey }: auditV1.PasskeyChanged): boolean {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(credentialId.length);
  const credential = Buffer.concat([length, credentialId, coseKey]);
  return attestationObject.indexOf(credential) >= AUTHENTICATOR_DATA_BYTES + AAGUID_BYTES;
}

/** Reads a canonical COSE key of one of the three algorithms that policy accepts. */
function publicKeyOf(cose: Buffer): KeyObject | undefined {
  const fields = byteStringsOf(cose).map((bytes) => bytes.toString('base64url'));
  const [first, second] = fields;
  const header = cose.subarray(0, 5).toString('hex');
  if (header === 'a501020326') return jwk({ kty: 'EC', crv: 'P-256', x: first, y: second });
  if (header === 'a401010327') return jwk({ kty: 'OKP', crv: 'Ed25519', x: first });
  return header === 'a401030339' ? jwk({ kty: 'RSA', n: first, e: second }) : undefined;
}

function jwk(key: Readonly<Record<string, string | undefined>>): KeyObject | undefined {
  try {
    return createPublicKey({ key, format: 'jwk' });
  } catch {
    return undefined;
  }
}

/**
 * Reads the byte strings of a CBOR map from its third entry on, whose labels are one byte and whose other values are
 * integers.
 */
function byteStringsOf(cose: Buffer): Buffer[] {
  const strings: Buffer[] = [];
  for (let at = 1; at < cose.length;) {
    const head = cose[at]!;
    const isLong = (head & 0x1f) === 0x19;
    const isMedium = (head & 0x1f) === 0x18;
    const argument = isLong ? cose.readUInt16BE(at + 1) : isMedium ? cose[at + 1]! : head & 0x1f;
    at += isLong ? 3 : isMedium ? 2 : 1;
    if (head >> 5 !== 2) continue;
    strings.push(cose.subarray(at, at + argument));
    at += argument;
  }
  return strings;
}

interface ClientData {
  readonly type?: unknown;
  readonly challenge?: unknown;
  readonly origin?: unknown;
  readonly crossOrigin?: unknown;
}

function parseClientData(json: Buffer): ClientData | undefined {
  try {
    return JSON.parse(json.toString()) as ClientData;
  } catch {
    return undefined;
  }
}

function readFact({ payload }: StoredEvent): auditV1.AuditEvent['fact'] {
  try {
    return auditV1.AuditEvent.decode(payload).fact;
  } catch {
    return undefined;
  }
}

function findingOf(event: StoredEvent, reason: string | undefined): OwnerFinding | undefined {
  return reason === undefined ? undefined : findingAt(event, 'forged', reason);
}

function sha256(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest();
}
