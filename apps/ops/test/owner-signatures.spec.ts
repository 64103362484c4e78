import { auditV1 } from '@agent-wallet/contracts';
import { batchHash, eventHash, NO_HASH, type StoredEvent } from '@agent-wallet/contracts/audit';
import { newId } from '@agent-wallet/kernel';
import { type Algorithm, Authenticator } from '@agent-wallet/testing';
import { describe, expect, it } from '@jest/globals';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { lineOf } from '../src/audit/files.js';
import { runAudit } from '../src/audit/run-audit.js';

type Fact = NonNullable<auditV1.AuditEvent['fact']>;

const ORIGIN = 'https://owner.example.com';
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest();

interface Written {
  subject: string;
  fact: Fact;
}

const termsOf = (action: string, authenticator: Authenticator) => ({
  action,
  credentialId: authenticator.credentialId.toString('base64url'),
  coseKey: authenticator.coseKey().toString('base64url'),
});

/** The log of an owner who adds a second passkey, claims an agent, and approves a change and a payment, as policy writes it. */
class OwnedAgentLog {
  readonly ownerId = newId();
  readonly agentId = newId();
  readonly written: Written[] = [];

  readonly first: Authenticator;

  constructor(algorithm: Algorithm = 'ES256', claimedBy: 'vote' | 'delay' = 'vote') {
    const second = new Authenticator(ORIGIN, algorithm);
    this.first = new Authenticator(ORIGIN, algorithm);
    this.addPasskey(this.first);
    this.approve(this.first, 'passkey', termsOf('add', second));
    this.addPasskey(second);
    this.approve(second, 'claim', { policy: {} }, { outcome: claimedBy === 'delay' ? 'approved' : 'applied' });
    if (claimedBy === 'delay') this.close('applied');
    this.approve(this.first, 'policy', { changes: {} });
    this.approve(second, 'operation', { recipient: 'a' });
  }

  addPasskey(authenticator: Authenticator, ownerId = this.ownerId): void {
    const { response } = JSON.parse(authenticator.register(randomBytes(32))) as { response: Record<string, string> };
    const value = {
      ...{ ownerId, credentialId: authenticator.credentialId, action: 'added' },
      ...{ coseKey: authenticator.coseKey(), attestationObject: Buffer.from(response.attestationObject!, 'base64url') },
      clientDataJson: Buffer.from(response.clientDataJSON!, 'base64url'),
    };
    this.written.push({ subject: ownerId, fact: { $case: 'passkeyChanged', value } });
  }

  /** Closes the latest approval, a claim. */
  close(state: string): void {
    const { approvalId, ownerId } = this.last('approvalDecided');
    const value = { approvalId, state, kind: 'claim', ownerId };
    this.written.push({ subject: this.agentId, fact: { $case: 'approvalClosed', value } });
  }

  approve(
    authenticator: Authenticator,
    kind: string,
    terms: object,
    { ownerId = this.ownerId, outcome = kind === 'operation' ? 'approved' : 'applied' } = {},
  ): void {
    const [approvalId, subject] = [newId(), kind === 'passkey' ? ownerId : this.agentId];
    const agent = kind === 'passkey' ? {} : { agent: this.agentId };
    const fields = { ...agent, id: approvalId, kind, origin: ORIGIN, owner: ownerId, terms };
    const document = Buffer.from(JSON.stringify(fields));
    const { response } = JSON.parse(authenticator.assert(sha256(document))) as { response: Record<string, string> };
    const bytes = (name: string) => Buffer.from(response[name]!, 'base64url');
    const value = {
      ...{ approvalId, documentHash: sha256(document), ownerId },
      outcome,
      ...{ credentialId: Buffer.from(authenticator.credentialId), clientDataJson: bytes('clientDataJSON') },
      ...{ authenticatorData: bytes('authenticatorData'), signature: bytes('signature') },
    };
    this.written.push({ subject, fact: { $case: 'approvalRequested', value: { approvalId, kind, document } } });
    this.written.push({ subject, fact: { $case: 'approvalDecided', value } });
  }

  /** The latest fact of a kind. */
  last<Case extends Fact['$case']>(kind: Case): Extract<Fact, { $case: Case }>['value'] {
    return this.written.findLast(({ fact }) => fact.$case === kind)!.fact.value as never;
  }

  /** What audit:verify says of it, as an export whose every hash is right. */
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
    return this.written.map(({ subject, fact }, n) => {
      const { sequence, hash: previousHash } = ends.get(subject) ?? { sequence: 0, hash: NO_HASH };
      const [eventId, occurredAtMs] = [newId(), 1_700_000_000_000 + n];
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

describe('audit:verify on what owners have signed', () => {
  it.each(['ES256', 'EdDSA', 'RS256'] as const)('passes signatures of %s as they were written', async (algorithm) => {
    expect(await new OwnedAgentLog(algorithm).audit()).toMatchObject({ code: 0 });
  });

  const flip = (bytes: Buffer, at: number) => void (bytes[at]! ^= 1);
  const alterations: ReadonlyArray<[string, string, (log: OwnedAgentLog) => void]> = [
    ['a signature', 'signature', (log) => flip(log.last('approvalDecided').signature, 20)],
    ['a flag', 'user was not verified', (log) => flip(log.last('approvalDecided').authenticatorData, 32)],
    ['a relying party', 'relying party', (log) => flip(log.last('approvalDecided').authenticatorData, 3)],
    ['a counter', 'signature', (log) => flip(log.last('approvalDecided').authenticatorData, 36)],
    ['a document', 'document', (log) => flip(log.last('approvalRequested').document, 60)],
    ['a hash', 'document', (log) => flip(log.last('approvalDecided').documentHash, 0)],
    ['a passkey of a vote', 'passkey', (log) => flip(log.last('approvalDecided').credentialId, 0)],
    ['the owner of a vote', 'not its owner', (log) => (log.last('approvalDecided').ownerId = newId())],
    ['a key', 'attestation object', (log) => flip(log.last('passkeyChanged').coseKey, 20)],
    [
      'a key with its attestation object',
      'signature',
      (log) => {
        const key = log.last('passkeyChanged');
        flip(key.attestationObject, key.attestationObject.indexOf(key.coseKey) + 20);
        flip(key.coseKey, 20);
      },
    ],
    ['the origin of a vote', 'origin', (log) => replaceClientData(log, ORIGIN, 'https://owner.example.org')],
    ['the type of a vote', 'assertion', (log) => replaceClientData(log, 'webauthn.get', 'webauthn.git')],
  ];

  it.each(alterations)('names %s that was altered in a log whose hashes are right', async (_, reason, alter) => {
    const log = new OwnedAgentLog();
    alter(log);
    const { code, lines } = await log.audit();
    expect([code, lines.filter((line) => line.startsWith('FORGED event')).join('\n')]).toEqual([
      1,
      expect.stringContaining(reason),
    ]);
  });

  const intrusions: ReadonlyArray<[string, string, (log: OwnedAgentLog) => void]> = [
    [
      'a document that is not JSON',
      'cannot be read',
      (log) => {
        const document = Buffer.from('x');
        log.last('approvalRequested').document = document;
        log.last('approvalDecided').documentHash = sha256(document);
      },
    ],
    [
      'a key that another owner has approved',
      'no passkey of the owner has approved it',
      (log) => {
        const [other, added, otherId] = [new Authenticator(ORIGIN), new Authenticator(ORIGIN), newId()];
        log.addPasskey(other, otherId);
        log.approve(other, 'passkey', termsOf('add', added), { ownerId: otherId });
        log.addPasskey(added);
      },
    ],
    [
      'another key than the approved one',
      'no passkey of the owner has approved it',
      (log) => {
        const [approved, added] = [new Authenticator(ORIGIN), new Authenticator(ORIGIN)];
        const { coseKey } = termsOf('add', approved);
        log.approve(log.first, 'passkey', { ...termsOf('add', added), coseKey });
        log.addPasskey(added);
      },
    ],
    ['a key under a known credential', 'was added before', (log) => log.addPasskey(log.first)],
    [
      'a second claim',
      'had an owner already',
      (log) => {
        const [other, otherId] = [new Authenticator(ORIGIN), newId()];
        log.addPasskey(other, otherId);
        log.approve(other, 'claim', { policy: {} }, { ownerId: otherId });
      },
    ],
    [
      'an operation that another owner has approved',
      'one who is not its owner',
      (log) => {
        const [other, otherId] = [new Authenticator(ORIGIN), newId()];
        log.addPasskey(other, otherId);
        log.approve(other, 'operation', { recipient: 'b' }, { ownerId: otherId });
      },
    ],
    ['a decision that is repeated', 'was decided before', (log) => log.written.push(log.written.at(-1)!)],
    [
      'a decision after the end of the approval',
      'was closed before',
      (log) => {
        const { approvalId } = log.last('approvalDecided');
        const value = { approvalId, state: 'rejected', kind: 'policy', ownerId: log.last('approvalDecided').ownerId };
        log.written.splice(-1, 0, { subject: log.agentId, fact: { $case: 'approvalClosed', value } });
      },
    ],
    [
      'a removal without an approval',
      'has approved its removal',
      (log) => {
        const value = { ...log.last('passkeyChanged'), action: 'removed' };
        log.written.push({ subject: log.ownerId, fact: { $case: 'passkeyChanged', value } });
      },
    ],
  ];

  it.each(intrusions)('names %s in a log whose hashes are right', async (_, reason, intrude) => {
    const log = new OwnedAgentLog();
    intrude(log);
    const { code, lines } = await log.audit();
    expect([code, lines[0]]).toEqual([1, expect.stringContaining(reason)]);
  });

  it('passes a removal that was approved, and names documents of another console than the given one', async () => {
    const log = new OwnedAgentLog();
    const [key] = [log.last('passkeyChanged')];
    const { credentialId, coseKey } = key;
    const terms = { credentialId: credentialId.toString('base64url'), coseKey: coseKey.toString('base64url') };
    log.approve(log.first, 'passkey', { action: 'remove', ...terms });
    log.written.push({ subject: log.ownerId, fact: { $case: 'passkeyChanged', value: { ...key, action: 'removed' } } });
    expect(await log.audit('--owner-origin', ORIGIN)).toMatchObject({ code: 0 });
    const { code, lines } = await log.audit('--owner-origin', 'https://other.example.com');
    expect([code, lines[0]]).toEqual([1, expect.stringContaining('another console')]);
  });

  it('names a passkey that no other has approved', async () => {
    const log = new OwnedAgentLog();
    log.addPasskey(new Authenticator(ORIGIN));
    const { code, lines } = await log.audit();
    expect([code, lines[0]]).toEqual([1, expect.stringContaining('no passkey of the owner has approved it')]);
  });

  it('names a vote without the document that it approves', async () => {
    const log = new OwnedAgentLog();
    log.written.splice(
      log.written.findLastIndex(({ fact }) => fact.$case === 'approvalRequested'),
      1,
    );
    const { code, lines } = await log.audit();
    expect([code, lines[0]]).toEqual([1, expect.stringContaining('is not in the log')]);
  });
});

function replaceClientData(log: OwnedAgentLog, text: string, other: string): void {
  const vote = log.last('approvalDecided');
  vote.clientDataJson = Buffer.from(vote.clientDataJson.toString().replace(text, other));
}

describe('audit:verify on a claim that took effect later', () => {
  const isEffect = ({ fact }: Written) => fact.$case === 'approvalClosed';
  const isRequest = ({ fact }: Written) => fact.$case === 'approvalRequested' && fact.value.kind === 'claim';
  const found = async (log: OwnedAgentLog) => {
    const { code, lines } = await log.audit();
    return [code, lines.filter((line) => line.startsWith('FORGED event')).join('\n')];
  };

  it('passes what its owner signed from then on', async () => {
    expect(await new OwnedAgentLog('ES256', 'delay').audit()).toMatchObject({ code: 0 });
  });

  it('names what its owner signed before', async () => {
    const log = new OwnedAgentLog('ES256', 'delay');
    log.written.push(...log.written.splice(log.written.findIndex(isEffect), 1));
    expect(await found(log)).toEqual([1, expect.stringContaining('not its owner')]);
  });

  it('names an effect without a signature', async () => {
    const log = new OwnedAgentLog('ES256', 'delay');
    log.written.splice(log.written.findIndex(isRequest) + 1, 1);
    expect(await found(log)).toEqual([1, expect.stringContaining('was not signed before')]);
  });

  it('names a second one', async () => {
    const log = new OwnedAgentLog('ES256', 'delay');
    const [other, ownerId] = [new Authenticator(ORIGIN), newId()];
    log.addPasskey(other, ownerId);
    const at = log.written.findIndex(isEffect);
    const count = log.written.length;
    log.approve(other, 'claim', { policy: {} }, { ownerId, outcome: 'approved' });
    log.close('applied');
    const [request, vote, effect] = log.written.splice(count) as [Written, Written, Written];
    log.written.splice(at, 0, request, vote);
    log.written.push(effect);
    expect(await found(log)).toEqual([1, expect.stringContaining('had an owner already')]);
  });
});
