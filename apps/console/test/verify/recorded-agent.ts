import { auditV1 } from '@agent-wallet/contracts';
import type { ProofPage, StoredCheckpoint, StoredEvent } from '@agent-wallet/audit';
import { checkpointBytes, type CheckpointScope, eventHash, NO_HASH, toBase58 } from '@agent-wallet/contracts/audit';
import { newId } from '@agent-wallet/kernel';
import { type Algorithm, Authenticator, type Lies } from '@agent-wallet/testing';
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { verifyAgent } from '../../web/verify/index.js';
import type { KeyMemory, Report } from '../../web/verify/report.js';

export type Fact = NonNullable<auditV1.AuditEvent['fact']>;
type Mutable<Value> = { -readonly [Name in keyof Value]: Value[Name] };
export type Page = Omit<Mutable<ProofPage>, 'events' | 'chain' | 'checkpoint'> & {
  events: Mutable<ProofPage['events'][number]>[];
  chain: Mutable<ProofPage['chain'][number]>[];
  checkpoint: Mutable<NonNullable<ProofPage['checkpoint']>> | null;
};

/** A fact that was written, and whose it is. */
export interface Written {
  subject: string;
  fact: Fact;
  askedBy?: string | undefined;
  /** Time since the start of the log, in milliseconds. */
  afterMs?: number;
}

/** An approval that was requested. */
export interface Asked {
  readonly approvalId: string;
  readonly kind: string;
  readonly ownerId: string;
  readonly subject: string;
  readonly document: Buffer;
}

/** Kinds of approvals in the chain of an owner. */
const OF_OWNER: ReadonlySet<string> = new Set(['passkey', 'recovery']);

export const ORIGIN = 'https://owner.example.com';
export const sha256 = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest();

/** A key that signs checkpoints. */
export class CheckpointKey {
  readonly #pair = generateKeyPairSync('ed25519');

  get keyId(): string {
    return toBase58(Buffer.from(this.#pair.publicKey.export({ format: 'jwk' }).x!, 'base64url'));
  }

  sign(scope: CheckpointScope, size: number, rootHash: Uint8Array): StoredCheckpoint {
    const claim = { scope, size, rootHash, signedAtMs: 1_800_000_000_000 };
    const key: KeyObject = this.#pair.privateKey;
    return { kind: 'checkpoint', ...claim, keyId: this.keyId, signature: sign(null, checkpointBytes(claim), key) };
  }
}

/** Memory of one test. */
export class TestMemory implements KeyMemory {
  constructor(public keyId?: string) {}

  read(): string | undefined {
    return this.keyId;
  }

  write(keyId: string): void {
    this.keyId = keyId;
  }
}

/** The log of an owner with two passkeys, who claims an agent, and approves a change and a payment, as policy writes it. */
export class RecordedAgent {
  readonly ownerId = newId();
  readonly agentId = newId();
  readonly key = new CheckpointKey();
  readonly memory = new TestMemory();
  readonly written: Written[] = [];
  readonly first: Authenticator;
  readonly second: Authenticator;
  pageSize = 3;
  #afterMs = 0;

  constructor(algorithm: Algorithm = 'ES256', claims: 'at once' | 'later' = 'at once') {
    this.first = new Authenticator(ORIGIN, algorithm);
    this.second = new Authenticator(ORIGIN, algorithm);
    this.write({ $case: 'walletCreated', value: { address: 'address' } });
    this.addPasskey(this.first);
    this.approve(this.first, 'passkey', termsOf('add', this.second), {
      effect: () => this.addPasskey(this.second),
    });
    if (claims === 'later') this.claimLater(this.second);
    else this.claim(this.second);
    this.loosen(this.first, 'dailyLimitInUsd', ['500', '600']);
    this.approve(this.second, 'operation', { recipient: 'a' });
    this.write({ $case: 'sessionEnded', value: { sessionId: newId() } });
  }

  write(fact: Fact, subject = this.agentId, askedBy?: string): void {
    this.written.push({ subject, fact, askedBy, afterMs: this.#afterMs });
  }

  /** Lets time pass. */
  wait(hours: number): void {
    this.#afterMs += hours * 3_600_000;
  }

  addPasskey(authenticator: Authenticator, ownerId = this.ownerId): void {
    const { response } = JSON.parse(authenticator.register(randomBytes(32))) as { response: Record<string, string> };
    const value = {
      ...{ ownerId, credentialId: Buffer.from(authenticator.credentialId), action: 'added' },
      ...{ coseKey: authenticator.coseKey(), attestationObject: Buffer.from(response.attestationObject!, 'base64url') },
      clientDataJson: Buffer.from(response.clientDataJSON!, 'base64url'),
    };
    this.write({ $case: 'passkeyChanged', value }, ownerId);
  }

  /** Claims with a delay: the effect comes after the vote. */
  claimLater(authenticator: Authenticator, ownerId = this.ownerId): void {
    this.approve(authenticator, 'claim', { policy: {} }, { ownerId, outcome: 'approved' });
    this.write({ $case: 'memberChanged', value: { ownerId, role: 'owner', action: 'added' } });
    const { approvalId } = this.last('approvalDecided');
    this.close({ approvalId, kind: 'claim', ownerId, subject: this.agentId }, 'applied');
  }

  claim(authenticator: Authenticator, ownerId = this.ownerId): void {
    const effect = () => this.write({ $case: 'memberChanged', value: { ownerId, role: 'owner', action: 'added' } });
    this.approve(authenticator, 'claim', { policy: {} }, { ownerId, effect });
  }

  loosen(authenticator: Authenticator, field: string, [before, after]: readonly [string, string]): void {
    const effect = (approvalId: string) =>
      this.changePolicy([field, before, after], `owner ${this.ownerId}`, approvalId);
    this.approve(authenticator, 'policy', { changes: { [field]: { before, after } } }, { effect });
  }

  changePolicy([field, before, after]: readonly [string, string, string], askedBy: string, approvalId?: string): void {
    const value = { changes: [{ field, before, after }], actor: askedBy.split(' ')[0], approvalId };
    this.write({ $case: 'policyChanged', value }, this.agentId, askedBy);
  }

  approve(
    authenticator: Authenticator,
    kind: string,
    terms: object,
    {
      ownerId = this.ownerId,
      outcome = kind === 'operation' ? 'approved' : 'applied',
      effect,
      lies,
    }: { ownerId?: string; outcome?: string; effect?: (approvalId: string) => void; lies?: Lies } = {},
  ): void {
    const asked = this.ask(kind, terms, ownerId);
    effect?.(asked.approvalId);
    this.vote(authenticator, asked, { outcome, lies });
  }

  ask(kind: string, terms: object, ownerId = this.ownerId, approvalId = newId()): Asked {
    const subject = OF_OWNER.has(kind) ? ownerId : this.agentId;
    const agent = OF_OWNER.has(kind) ? {} : { agent: this.agentId };
    const document = Buffer.from(
      JSON.stringify({ ...agent, id: approvalId, kind, origin: ORIGIN, owner: ownerId, terms }),
    );
    this.write({ $case: 'approvalRequested', value: { approvalId, kind, document } }, subject);
    return { approvalId, kind, ownerId, subject, document };
  }

  close({ approvalId, kind, ownerId, subject }: Omit<Asked, 'document'>, state: string): void {
    this.write({ $case: 'approvalClosed', value: { approvalId, state, kind, ownerId } }, subject);
  }

  vote(
    authenticator: Authenticator,
    { approvalId, document, subject, ...asked }: Asked,
    {
      ownerId = asked.ownerId,
      outcome = 'applied',
      lies,
    }: { ownerId?: string; outcome?: string; lies?: Lies | undefined } = {},
  ): void {
    const { response } = JSON.parse(authenticator.assert(sha256(document), lies)) as {
      response: Record<string, string>;
    };
    const bytes = (name: string) => Buffer.from(response[name]!, 'base64url');
    const value = {
      ...{ approvalId, documentHash: sha256(document), ownerId },
      outcome,
      ...{ credentialId: Buffer.from(authenticator.credentialId), clientDataJson: bytes('clientDataJSON') },
      ...{ authenticatorData: bytes('authenticatorData'), signature: bytes('signature') },
    };
    this.write({ $case: 'approvalDecided', value }, subject);
  }

  /** The latest fact of a kind. */
  last<Case extends Fact['$case']>(kind: Case): Extract<Fact, { $case: Case }>['value'] {
    return this.written.findLast(({ fact }) => fact.$case === kind)!.fact.value as never;
  }

  /** The events of all chains, in the order of the log. */
  stored(): Mutable<StoredEvent>[] {
    const ends = new Map<string, { sequence: number; hash: Buffer }>();
    return this.written.map(({ subject, fact, askedBy, afterMs = 0 }, n) => {
      const { sequence, hash: previousHash } = ends.get(subject) ?? { sequence: 0, hash: NO_HASH };
      const [eventId, occurredAtMs] = [newId(), 1_700_000_000_000 + afterMs + n];
      const event = { eventId, agentId: subject, source: 'policy', requestId: '', traceparent: '', askedBy, fact };
      const payload = Buffer.from(auditV1.AuditEvent.encode({ ...event, occurredAtMs: BigInt(occurredAtMs) }).finish());
      const chained = { eventId, agentId: subject, sequence: sequence + 1, payload, previousHash };
      const hash = eventHash(chained);
      ends.set(subject, { sequence: sequence + 1, hash });
      return { kind: 'event', position: n + 1, occurredAtMs, hash, ...chained };
    });
  }

  /** Pages of one chain as the API answers them. */
  pagesOf(stored: readonly StoredEvent[], subject = this.agentId): Page[] {
    const events = stored.filter(({ agentId }) => agentId === subject);
    const last = events.at(-1);
    const signed = last && this.key.sign(`agent:${subject}`, last.sequence, last.hash);
    return Array.from({ length: Math.max(1, Math.ceil(events.length / this.pageSize)) }, (_, n) =>
      pageOf(subject, events.slice(n * this.pageSize, (n + 1) * this.pageSize), {
        checkpoint: signed,
        hasMore: (n + 1) * this.pageSize < events.length,
      }),
    );
  }

  /** Verifies what was written, with pages of the agent that a test may alter. */
  async verify(alter?: (pages: Page[]) => Page[] | void, origin = ORIGIN): Promise<Report> {
    const stored = this.stored();
    const pages = this.pagesOf(stored);
    return this.verifyPages(alter?.(pages) ?? pages, (ownerId) => this.pagesOf(stored, ownerId), origin);
  }

  /** Verifies what was written as an owner does, who cannot read the chains of other owners. */
  verifyAs(ownerId = this.ownerId): Promise<Report> {
    const stored = this.stored();
    const ownerPages = (owner: string) => this.pagesOf(stored, owner);
    return this.verifyPages(this.pagesOf(stored), ownerPages, ORIGIN, new Set([ownerId]));
  }

  verifyPages(
    pages: readonly Page[],
    ownerPages?: (ownerId: string) => readonly Page[],
    origin = ORIGIN,
    readableOwners?: ReadonlySet<string>,
  ): Promise<Report> {
    return verifyAgent({
      readableOwners,
      ...{ agentId: this.agentId, origin, memory: this.memory, readPage: served(pages) },
      readOwnerPage: ownerPages && ((ownerId, after) => served(ownerPages(ownerId))(after)),
    });
  }
}

export const termsOf = (action: string, authenticator: Authenticator) => ({
  action,
  credentialId: authenticator.credentialId.toString('base64url'),
  coseKey: authenticator.coseKey().toString('base64url'),
});

/** Answers with the page after an event, as a server that has these pages. */
function served(pages: readonly Page[]): (after?: string) => Promise<Page> {
  return async (after) => {
    const n = after === undefined ? 0 : pages.findIndex(({ events }) => events.at(-1)?.eventId === after) + 1;
    return pages[Math.min(n, pages.length - 1)]!;
  };
}

function pageOf(
  agentId: string,
  events: readonly StoredEvent[],
  { checkpoint, hasMore }: { checkpoint: StoredCheckpoint | undefined; hasMore: boolean },
): Page {
  return {
    agentId,
    events: events.map(({ eventId, sequence, occurredAtMs, payload }) => ({
      ...{ eventId, sequence, occurredAt: new Date(occurredAtMs!).toISOString() },
      payload: Buffer.from(payload).toString('base64'),
    })),
    chain: events.map(({ eventId, hash, previousHash }) => ({
      ...{ eventId, hash: hex(hash), previousHash: hex(previousHash) },
    })),
    checkpoint: checkpoint
      ? {
          ...{ size: checkpoint.size, rootHash: hex(checkpoint.rootHash), keyId: checkpoint.keyId },
          signature: Buffer.from(checkpoint.signature).toString('base64'),
          signedAt: new Date(checkpoint.signedAtMs).toISOString(),
        }
      : null,
    hasMore,
    lastEventId: events.at(-1)?.eventId ?? null,
  };
}

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
