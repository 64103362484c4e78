import { auditV1 } from '@agent-wallet/contracts';
import type { StoredEvent } from '@agent-wallet/audit';
import { batchHash, eventHash, NO_HASH } from '@agent-wallet/contracts/audit';
import { newId } from '@agent-wallet/kernel';
import { type Algorithm, Authenticator } from '@agent-wallet/testing';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { lineOf } from '../src/audit/files.js';
import { runAudit } from '../src/audit/run-audit.js';

export type Fact = NonNullable<auditV1.AuditEvent['fact']>;

export const ORIGIN = 'https://owner.example.com';
export const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest();

/** A fact that was written, and whose it is. */
export interface Written {
  subject: string;
  fact: Fact;
  /** Hours that have passed since the log began. */
  hours?: number;
}

export const termsOf = (action: string, authenticator: Authenticator) => ({
  action,
  credentialId: authenticator.credentialId.toString('base64url'),
  coseKey: authenticator.coseKey().toString('base64url'),
});

/** Some fields of the policy in the document of a claim. */
const POLICY = { dailyLimitInUsd: '500', newRecipients: 'allow', allowedRecipients: [] };

/** An owner with one passkey. */
export interface LoggedOwner {
  readonly ownerId: string;
  readonly authenticator: Authenticator;
}

/** The log of an owner who adds a second passkey, claims an agent, and approves a change and a payment, as policy writes it. */
export class OwnedAgentLog {
  readonly ownerId = newId();
  readonly agentId = newId();
  readonly written: Written[] = [];

  readonly first: Authenticator;
  #hours = 0;

  constructor(algorithm: Algorithm = 'ES256', claimedBy: 'vote' | 'delay' = 'vote') {
    const second = new Authenticator(ORIGIN, algorithm);
    this.first = new Authenticator(ORIGIN, algorithm);
    this.addPasskey(this.first);
    this.approve(this.first, 'passkey', termsOf('add', second));
    this.addPasskey(second);
    this.claim(second, claimedBy);
    this.loosen('dailyLimitInUsd', '500', '600');
    this.approve(second, 'operation', { recipient: 'a' });
  }

  addPasskey(authenticator: Authenticator, ownerId = this.ownerId): void {
    const { response } = JSON.parse(authenticator.register(randomBytes(32))) as { response: Record<string, string> };
    const value = {
      ...{ ownerId, credentialId: authenticator.credentialId, action: 'added' },
      ...{ coseKey: authenticator.coseKey(), attestationObject: Buffer.from(response.attestationObject!, 'base64url') },
      clientDataJson: Buffer.from(response.clientDataJSON!, 'base64url'),
    };
    this.write({ $case: 'passkeyChanged', value }, ownerId);
  }

  claim(authenticator: Authenticator, claimedBy: 'vote' | 'delay' = 'vote', ownerId = this.ownerId): void {
    const effect = () => this.write({ $case: 'memberChanged', value: { ownerId, role: 'owner', action: 'added' } });
    if (claimedBy === 'vote') {
      this.approve(authenticator, 'claim', { policy: POLICY }, { ownerId, effect });
      return;
    }
    this.approve(authenticator, 'claim', { policy: POLICY }, { ownerId, outcome: 'approved' });
    effect();
    this.close('applied');
  }

  write(fact: Fact, subject = this.agentId): void {
    this.written.push({ subject, fact, hours: this.#hours });
  }

  wait(hours: number): void {
    this.#hours += hours;
  }

  /** Another owner, with a passkey. */
  newOwner(): LoggedOwner {
    const owner = { ownerId: newId(), authenticator: new Authenticator(ORIGIN) };
    this.addPasskey(owner.authenticator, owner.ownerId);
    return owner;
  }

  /** Has an owner sign that a person may join. @returns the id of the approval, which that person signs next */
  invite({ ownerId }: LoggedOwner, by: LoggedOwner = { ownerId: this.ownerId, authenticator: this.first }): string {
    const approvalId = this.request('member', { action: 'add', member: ownerId, email: 'b@x.com' });
    this.vote(approvalId, by, { outcome: 'approved', effect: () => this.member('invited', ownerId) });
    return approvalId;
  }

  /** Another owner, who has joined by both signatures. */
  join(): LoggedOwner {
    const second = this.newOwner();
    const effect = () => this.member('added', second.ownerId);
    this.vote(this.invite(second), second, { effect });
    return second;
  }

  member(action: string, ownerId: string): void {
    this.write({ $case: 'memberChanged', value: { ownerId, role: 'owner', action } });
  }

  /** Requests what takes effect without a vote. @returns the id of the approval */
  request(kind: string, terms: object, subject = this.agentId, approvalId = newId()): string {
    const agent = subject === this.agentId ? { agent: subject } : {};
    const fields = { ...agent, id: approvalId, kind, origin: ORIGIN, owner: this.ownerId, terms };
    const document = Buffer.from(JSON.stringify(fields));
    this.write({ $case: 'approvalRequested', value: { approvalId, kind, document } }, subject);
    return approvalId;
  }

  /** Ends it with its effect. */
  end(approvalId: string, kind: string, state: string, subject = this.agentId): void {
    this.write({ $case: 'approvalClosed', value: { approvalId, kind, state, ownerId: this.ownerId } }, subject);
  }

  operatorActs(action: string, approvalId: string, subject = this.agentId): void {
    const value = { operator: 'alice', action, reason: 'r', operationId: '', approvalId };
    this.write({ $case: 'operatorActed', value }, subject);
  }

  removePasskey(authenticator: Authenticator, ownerId = this.ownerId): void {
    const value = {
      ...{ ownerId, credentialId: authenticator.credentialId, action: 'removed', coseKey: authenticator.coseKey() },
      ...{ attestationObject: Buffer.alloc(0), clientDataJson: Buffer.alloc(0) },
    };
    this.write({ $case: 'passkeyChanged', value }, ownerId);
  }

  /** Applies a signed change, as policy does: the change, then the vote. */
  loosen(field: string, before: string, after: string, authenticator = this.first): void {
    const effect = (approvalId: string) => this.change([field, before, after], { actor: 'owner', approvalId });
    this.approve(authenticator, 'policy', { changes: { [field]: { before, after } } }, { effect });
  }

  change(
    [field, before, after]: readonly [string, string, string],
    by: { actor?: string | undefined; approvalId?: string | undefined } = { actor: 'agent' },
  ): void {
    const value = { changes: [{ field, before, after }], actor: by.actor, approvalId: by.approvalId };
    this.write({ $case: 'policyChanged', value });
  }

  act(action: string, operator = `owner ${this.ownerId}`, subject = this.agentId): void {
    this.write({ $case: 'operatorActed', value: { operator, action, reason: 'r', operationId: '' } }, subject);
  }

  /** Closes the latest approval, a claim. */
  close(state: string): void {
    const { approvalId, ownerId } = this.last('approvalDecided');
    const value = { approvalId, state, kind: 'claim', ownerId };
    this.write({ $case: 'approvalClosed', value });
  }

  approve(
    authenticator: Authenticator,
    kind: string,
    terms: object,
    {
      ownerId = this.ownerId,
      outcome = kind === 'operation' ? 'approved' : 'applied',
      effect,
    }: { ownerId?: string; outcome?: string; effect?: (approvalId: string) => void } = {},
  ): void {
    const [approvalId, subject] = [newId(), kind === 'passkey' ? ownerId : this.agentId];
    const agent = kind === 'passkey' ? {} : { agent: this.agentId };
    const fields = { ...agent, id: approvalId, kind, origin: ORIGIN, owner: ownerId, terms };
    const document = Buffer.from(JSON.stringify(fields));
    this.write({ $case: 'approvalRequested', value: { approvalId, kind, document } }, subject);
    this.vote(approvalId, { authenticator, ownerId }, { outcome, effect: () => effect?.(approvalId) });
  }

  /** Signs what was requested last. */
  vote(
    approvalId: string,
    { authenticator, ownerId }: LoggedOwner,
    { outcome = 'applied', effect }: { readonly outcome?: string; readonly effect?: () => void } = {},
  ): void {
    const { fact, subject } = this.written.findLast(
      ({ fact: each }) => each.$case === 'approvalRequested' && each.value.approvalId === approvalId,
    )!;
    const { document } = (fact as Extract<Fact, { $case: 'approvalRequested' }>).value;
    effect?.();
    const value = {
      approvalId,
      documentHash: sha256(document),
      ownerId,
      outcome,
      ...assertionOf(authenticator, document),
    };
    this.write({ $case: 'approvalDecided', value }, subject);
  }

  /** The latest fact of a kind. */
  last<Case extends Fact['$case']>(kind: Case): Extract<Fact, { $case: Case }>['value'] {
    return this.written.findLast(({ fact }) => fact.$case === kind)!.fact.value as never;
  }

  /** Runs audit:verify on it, as an export whose every hash is right. */
  async audit(...options: string[]): Promise<{ code: number; lines: string[] }> {
    const directory = await mkdtemp(path.join(os.tmpdir(), 'owner-signatures-'));
    const file = path.join(directory, 'log.ndjson');
    const events = this.#chained();
    const eventHashes = events.map(({ hash }) => hash);
    const hash = batchHash({ firstPosition: 1, eventHashes, previousHash: NO_HASH });
    const batch = { kind: 'batch', lastPosition: events.length, hash } as const;
    await writeFile(file, [batch, ...events].map((record) => `${lineOf(record)}\n`).join(''));
    const lines: string[] = [];
    const code = await runAudit(['--from', file, ...options], undefined, (line) => lines.push(line));
    await rm(directory, { recursive: true });
    return { code, lines };
  }

  #chained(): StoredEvent[] {
    const ends = new Map<string, { sequence: number; hash: Buffer }>();
    return this.written.map(({ subject, fact, hours = 0 }, n) => {
      const { sequence, hash: previousHash } = ends.get(subject) ?? { sequence: 0, hash: NO_HASH };
      const [eventId, occurredAtMs] = [newId(), 1_700_000_000_000 + hours * 3_600_000 + n];
      const event = { eventId, agentId: subject, source: 'policy', requestId: '', traceparent: '', fact };
      const encoded = auditV1.AuditEvent.encode({ ...event, occurredAtMs: BigInt(occurredAtMs) }).finish();
      const payload = Buffer.from(encoded);
      const chained = { eventId, agentId: subject, sequence: sequence + 1, payload, previousHash };
      const hash = eventHash(chained);
      ends.set(subject, { sequence: sequence + 1, hash });
      return { kind: 'event', position: n + 1, occurredAtMs, hash, ...chained };
    });
  }
}

function assertionOf(authenticator: Authenticator, document: Uint8Array) {
  const { response } = JSON.parse(authenticator.assert(sha256(document))) as { response: Record<string, string> };
  const bytes = (name: string) => Buffer.from(response[name]!, 'base64url');
  return {
    ...{ credentialId: Buffer.from(authenticator.credentialId), clientDataJson: bytes('clientDataJSON') },
    ...{ authenticatorData: bytes('authenticatorData'), signature: bytes('signature') },
  };
}
