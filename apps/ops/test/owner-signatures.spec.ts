import { newId } from '@agent-wallet/kernel';
import { Authenticator } from '@agent-wallet/testing';
import { describe, expect, it } from '@jest/globals';
import { ORIGIN, OwnedAgentLog, sha256, termsOf, type Written } from './owned-agent-log.js';

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
        log.claim(other, 'vote', otherId);
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

  it('takes the latest document before a vote, and names a vote over an earlier one', async () => {
    const log = new OwnedAgentLog();
    const id = log.request('operation', { trust: 'once' });
    log.request('operation', { trust: 'always' }, log.agentId, id);
    log.vote(id, { authenticator: log.first, ownerId: log.ownerId }, { outcome: 'approved' });
    log.request('operation', { trust: 'daily_amount' }, log.agentId, id);
    expect(await log.audit()).toMatchObject({ code: 0 });
    const [once, always] = log.written.splice(-4, 2);
    log.written.splice(-2, 0, always!, once!);
    const { code, lines } = await log.audit();
    expect([code, lines[0]]).toEqual([1, expect.stringContaining('is not the one that was requested')]);
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
    log.claim(other, 'delay', ownerId);
    const [request, vote, ...effect] = log.written.splice(count) as [Written, Written, Written, Written];
    log.written.splice(at, 0, request, vote);
    log.written.push(...effect);
    expect(await found(log)).toEqual([1, expect.stringContaining('had an owner already')]);
  });
});
