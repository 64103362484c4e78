import { auditV1 } from '@agent-wallet/contracts';
import type { Finding, StoredEvent } from '@agent-wallet/contracts/audit';
import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';

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
  readonly agent?: string;
  readonly terms: { readonly action?: string; readonly credentialId?: string };
}

/** Collects approvals, votes and passkeys of a whole log, and checks each vote against them. */
export class OwnerSignatures {
  readonly #documents = new Map<string, Buffer>();
  readonly #passkeys = new Map<string, AddedPasskey>();
  readonly #votes: Decided[] = [];

  /** Takes an event, in any order. One that cannot be read is reported by the check of the chains. */
  add(event: StoredEvent): void {
    const fact = readFact(event);
    if (fact?.$case === 'approvalRequested') this.#documents.set(fact.value.approvalId, fact.value.document);
    if (fact?.$case === 'approvalDecided') this.#votes.push({ event, vote: fact.value });
    if (fact?.$case === 'passkeyChanged' && fact.value.action === 'added') {
      this.#passkeys.set(fact.value.credentialId.toString('hex'), { event, key: fact.value });
    }
  }

  /** What is wrong with a vote or a key. */
  finish(): Finding[] {
    const votes = this.#votes.map(({ event, vote }) => findingOf(event, this.#problemOfVote(event, vote)));
    return [...votes, ...this.#findingsOfKeys()].filter((finding) => finding !== undefined);
  }

  #problemOfVote(event: StoredEvent, vote: auditV1.ApprovalDecided): string | undefined {
    const bytes = this.#documents.get(vote.approvalId);
    if (!bytes) return 'the document that it approves is not in the log';
    if (!sha256(bytes).equals(vote.documentHash)) return 'its document is not the one that was requested';
    const document = JSON.parse(bytes.toString()) as SignedDocument;
    if (document.id !== vote.approvalId) return 'its document is of another approval';
    if ((document.agent ?? document.owner) !== event.agentId) return 'its document is of another agent';
    const mayDecide =
      document.kind === 'policy' ? this.#hasClaimed(vote.ownerId, event.agentId) : document.owner === vote.ownerId;
    if (!mayDecide) return 'it was signed by one who is not its owner';
    const passkey = this.#passkeys.get(vote.credentialId.toString('hex'))?.key;
    if (!passkey || passkey.ownerId !== vote.ownerId) return 'its passkey is not one of the owner in the log';
    return problemOfAssertion(vote, document, passkey);
  }

  #hasClaimed(ownerId: string, agentId: string): boolean {
    return this.#votes.some(({ event, vote }) => {
      if (event.agentId !== agentId || vote.ownerId !== ownerId || vote.outcome !== 'applied') return false;
      return this.#documentOf(vote)?.kind === 'claim';
    });
  }

  /** The first passkey of an owner is trusted; each later one needs a vote for exactly that key. */
  #findingsOfKeys(): Array<Finding | undefined> {
    const approved = new Set(
      this.#votes.filter(({ vote }) => vote.outcome === 'applied').map(({ vote }) => this.#passkeyAddedBy(vote)),
    );
    const owners = new Set<string>();
    return [...this.#passkeys.values()]
      .sort((a, b) => a.event.sequence - b.event.sequence)
      .map(({ event, key }) => {
        const isFirst = !owners.has(key.ownerId);
        owners.add(key.ownerId);
        if (!isRegisteredKey(key)) return findingOf(event, 'its key is not the one in its attestation object');
        const isApproved = isFirst || approved.has(key.credentialId.toString('base64url'));
        return findingOf(event, isApproved ? undefined : 'no passkey of the owner has approved it');
      });
  }

  #passkeyAddedBy(vote: auditV1.ApprovalDecided): string | undefined {
    const terms = this.#documentOf(vote)?.terms;
    return terms?.action === 'add' ? terms.credentialId : undefined;
  }

  #documentOf({ approvalId }: auditV1.ApprovalDecided): SignedDocument | undefined {
    const bytes = this.#documents.get(approvalId);
    return bytes && (JSON.parse(bytes.toString()) as SignedDocument);
  }
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

/** The host of an origin, and the domains above it but the last. */
function relyingPartiesOf(origin: string): string[] {
  const labels = new URL(origin).hostname.split('.');
  const parents = labels.map((_, n) => labels.slice(n).join('.')).filter((name) => name.includes('.'));
  return [new URL(origin).hostname, ...parents];
}

/** Whether the attestation object says the same of the credential: its id, then its key, at the end or before extensions. */
function isRegisteredKey({ attestationObject, credentialId, coseKey }: auditV1.PasskeyChanged): boolean {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(credentialId.length);
  const credential = Buffer.concat([length, credentialId, coseKey]);
  return attestationObject.indexOf(credential) >= AUTHENTICATOR_DATA_BYTES + AAGUID_BYTES;
}

/** Canonical COSE keys of the three algorithms that policy accepts. */
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

/** The byte strings of a CBOR map from its third entry on, whose labels are one byte and whose other values are integers. */
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

function findingOf(event: StoredEvent, reason: string | undefined): Finding | undefined {
  const { position, eventId, agentId, sequence } = event;
  return reason === undefined
    ? undefined
    : { problem: 'forged', record: 'event', position, eventId, agentId, sequence, reason };
}

function sha256(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest();
}
