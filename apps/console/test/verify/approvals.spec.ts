import type { OwnerCause, StoredEvent } from '@agent-wallet/audit';
import { batchHash, NO_HASH } from '@agent-wallet/contracts/audit';
import { newId } from '@agent-wallet/kernel';
import { Authenticator, type Lies } from '@agent-wallet/testing';
import { describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describeFinding, describeNotChecked } from '../../web/verify/describe.js';
import type { Report } from '../../web/verify/report.js';
import { CheckpointKey, ORIGIN, RecordedAgent, sha256, termsOf, type Written } from './recorded-agent.js';

type Alteration = readonly [string, object, (agent: RecordedAgent) => void];

const flip = (bytes: Buffer, at: number) => void (bytes[at]! ^= 1);
const lie = (agent: RecordedAgent, lies: Lies) => agent.approve(agent.first, 'operation', { recipient: 'b' }, { lies });

function replaceClientData(agent: RecordedAgent, text: string, other: string): void {
  const vote = agent.last('approvalDecided');
  vote.clientDataJson = Buffer.from(vote.clientDataJson.toString().replace(text, other));
}

/** Returns the part of a finding that a test expects. */
const cause = (code: OwnerCause['code'], facts: object = {}) => ({
  cause: expect.objectContaining({ code, ...facts }),
});

/** Alterations that apps/ops finds too: each in a log with correct hashes and checkpoints. */
const ALTERATIONS: readonly Alteration[] = [
  ['a signature', cause('signature_invalid'), (agent) => flip(agent.last('approvalDecided').signature, 20)],
  ['a missing verification', cause('user_not_verified'), (agent) => lie(agent, { flags: 1 })],
  ['a missing presence', cause('user_not_verified'), (agent) => lie(agent, { flags: 4 })],
  ['another relying party', cause('signed_for_other_party'), (agent) => lie(agent, { rpId: 'owner.example.org' })],
  ['another origin', cause('signed_at_other_origin'), (agent) => lie(agent, { origin: 'https://owner.example.org' })],
  ['a frame of another origin', cause('signed_at_other_origin'), (agent) => lie(agent, { crossOrigin: true })],
  ['another type', cause('assertion_of_other_type'), (agent) => lie(agent, { type: 'webauthn.create' })],
  ['another challenge', cause('challenge_differs'), (agent) => lie(agent, { challenge: 'AAAA' })],
  ['a counter', cause('signature_invalid'), (agent) => flip(agent.last('approvalDecided').authenticatorData, 36)],
  ['another document', cause('document_differs'), (agent) => flip(agent.last('approvalRequested').document, 60)],
  ['another hash', cause('document_differs'), (agent) => flip(agent.last('approvalDecided').documentHash, 0)],
  [
    'another document with its hash',
    cause('challenge_differs'),
    (agent) => {
      const request = agent.last('approvalRequested');
      request.document = Buffer.from(request.document.toString().replace('"recipient":"a"', '"recipient":"b"'));
      agent.last('approvalDecided').documentHash = sha256(request.document);
    },
  ],
  ['an unknown passkey', cause('passkey_unknown'), (agent) => flip(agent.last('approvalDecided').credentialId, 0)],
  ['another voter', cause('signer_not_owner'), (agent) => void (agent.last('approvalDecided').ownerId = newId())],
  ['client data', cause('signed_at_other_origin'), (agent) => replaceClientData(agent, ORIGIN, `${ORIGIN}.example`)],
  [
    'an earlier document of a payment',
    cause('document_differs'),
    (agent) => {
      const asked = agent.ask('operation', { trust: 'once' });
      agent.ask('operation', { trust: 'always' }, agent.ownerId, asked.approvalId);
      agent.vote(agent.first, asked, { outcome: 'approved' });
    },
  ],
  [
    'a document that is not JSON',
    cause('document_unreadable'),
    (agent) => {
      const document = Buffer.from('x');
      agent.last('approvalRequested').document = document;
      agent.last('approvalDecided').documentHash = sha256(document);
    },
  ],
  [
    'a document that is missing',
    cause('document_missing'),
    ({ written }) =>
      void written.splice(
        written.findLastIndex(({ fact }) => fact.$case === 'approvalRequested'),
        1,
      ),
  ],
  ['a vote that is repeated', cause('decided_before'), (agent) => void agent.written.push(agent.written.at(-2)!)],
  [
    'a vote after the end of the approval',
    cause('closed_before'),
    (agent) => {
      const { approvalId, ownerId } = agent.last('approvalDecided');
      const value = { approvalId, state: 'rejected', kind: 'operation', ownerId };
      agent.written.splice(-2, 0, { subject: agent.agentId, fact: { $case: 'approvalClosed', value } });
    },
  ],
];

/** Alterations of keys and claims that apps/ops finds too. */
const INTRUSIONS: readonly Alteration[] = [
  ['a key', cause('key_not_registered'), (agent) => flip(agent.last('passkeyChanged').coseKey, 20)],
  [
    'a passkey without an approval',
    cause('passkey_not_approved'),
    (agent) => agent.addPasskey(new Authenticator(ORIGIN)),
  ],
  ['a key under a known credential', cause('credential_added_before'), (agent) => agent.addPasskey(agent.first)],
  [
    'a removal without an approval',
    cause('removal_not_approved'),
    (agent) => {
      const value = { ...agent.last('passkeyChanged'), action: 'removed' };
      agent.write({ $case: 'passkeyChanged', value }, agent.ownerId);
    },
  ],
  [
    'a passkey whose registration was taken out',
    cause('passkey_unknown'),
    ({ written }) =>
      void written.splice(
        written.findLastIndex(({ fact }) => fact.$case === 'passkeyChanged'),
        1,
      ),
  ],
  [
    'a second claim',
    cause('claimed_before'),
    (agent) => {
      const [other, otherId] = [new Authenticator(ORIGIN), newId()];
      agent.addPasskey(other, otherId);
      agent.claim(other, otherId);
    },
  ],
  [
    'an operation that another owner has approved',
    cause('signer_not_owner'),
    (agent) => {
      const [other, ownerId] = [new Authenticator(ORIGIN), newId()];
      agent.addPasskey(other, ownerId);
      agent.approve(other, 'operation', { recipient: 'b' }, { ownerId });
    },
  ],
];

/** Effects without a vote. */
const UNSIGNED: readonly Alteration[] = [
  [
    'a loosened policy as of the owner',
    cause('loosened_without_approval', { fields: ['dailyLimitInUsd'] }),
    (agent) => agent.changePolicy(['dailyLimitInUsd', '600', '700'], `owner ${agent.ownerId}`),
  ],
  [
    'a loosened policy as of the agent',
    cause('loosened_without_approval', { fields: ['allowedTokens'] }),
    (agent) => agent.changePolicy(['allowedTokens', '["a"]', '["a","b"]'], 'agent'),
  ],
  [
    'a policy with another value than the signed one',
    cause('approval_of_other_change'),
    (agent) => void (agent.last('policyChanged').changes[0]!.after = '601'),
  ],
  [
    'a policy that seems to tighten, from a value that it never had',
    cause('values_differ', { fields: ['dailyLimitInUsd'] }),
    (agent) => agent.changePolicy(['dailyLimitInUsd', '1000000000', '999999999'], 'agent'),
  ],
  [
    'a policy that names another approval',
    cause('approval_not_signed'),
    (agent) => void (agent.last('policyChanged').approvalId = newId()),
  ],
  [
    'a tightened policy that names an approval which no owner has signed',
    cause('approval_not_signed'),
    (agent) => agent.changePolicy(['dailyLimitInUsd', '600', '500'], 'agent', newId()),
  ],
  [
    'a change for which the vote is not valid',
    cause('approval_not_signed'),
    (agent) => {
      agent.loosen(agent.first, 'dailyLimitInUsd', ['600', '700']);
      flip(agent.last('approvalDecided').signature, 20);
    },
  ],
  [
    'a change whose vote serves twice',
    cause('approval_used_before'),
    (agent) => {
      const at = agent.written.findIndex(({ fact }) => fact.$case === 'policyChanged');
      agent.written.splice(at, 0, agent.written[at]!);
    },
  ],
  [
    'an owner without a claim',
    cause('owner_added_unsigned'),
    (agent) => agent.write({ $case: 'memberChanged', value: { ownerId: newId(), role: 'owner', action: 'added' } }),
  ],
  [
    'the end of a freeze',
    cause('unfreeze_unsigned'),
    (agent) => {
      const value = { operator: `owner ${agent.ownerId}`, action: 'unfreeze', reason: '', operationId: '' };
      agent.write({ $case: 'operatorActed', value });
    },
  ],
  [
    'an unfreeze that another owner has signed',
    cause('signer_not_owner'),
    (agent) => {
      const [other, ownerId] = [new Authenticator(ORIGIN), newId()];
      agent.addPasskey(other, ownerId);
      agent.approve(other, 'unfreeze', { frozenSince: 'x' }, { ownerId });
    },
  ],
];

const isClaimed = ({ fact }: Written) => fact.$case === 'memberChanged';

describe('what owners have signed', () => {
  it.each(['ES256', 'EdDSA', 'RS256'] as const)('passes signatures of %s as they were written', async (algorithm) => {
    const report = await new RecordedAgent(algorithm).verify();
    expect(report).toMatchObject({ findings: [], checked: { signatures: 4 } });
    expect(report.notChecked).not.toContain('owner_chains');
  });

  it('passes three hundred signatures of ES256: r and s are shorter now and then', async () => {
    const agent = new RecordedAgent();
    for (let n = 0; n < 300; n += 1) agent.approve(agent.first, 'operation', { recipient: String(n) });
    expect(await agent.verify()).toMatchObject({ findings: [], checked: { signatures: 304 } });
  });

  it('passes a vote over the latest document before it', async () => {
    const agent = new RecordedAgent();
    const { approvalId } = agent.ask('operation', { trust: 'once' });
    const asked = agent.ask('operation', { trust: 'always' }, agent.ownerId, approvalId);
    agent.vote(agent.first, asked, { outcome: 'approved' });
    agent.ask('operation', { trust: 'once' }, agent.ownerId, approvalId);
    expect((await agent.verify()).findings).toEqual([]);
  });

  it('passes a claim that took effect some time after its signature', async () => {
    const report = await new RecordedAgent('ES256', 'later').verify();
    expect(report).toMatchObject({ findings: [], checked: { signatures: 4 } });
  });

  it.each([
    ['without a signature', (agent) => agent.written.splice(agent.written.findIndex(isClaimed) - 1, 1)],
    ['without an end of its delay', (agent) => agent.written.splice(agent.written.findIndex(isClaimed) + 1, 1)],
  ] satisfies ReadonlyArray<[string, (agent: RecordedAgent) => unknown]>)(
    'names an owner by a claim %s',
    async (_, alter) => {
      const agent = new RecordedAgent('ES256', 'later');
      alter(agent);
      const { findings } = await agent.verify();
      expect(findings).toContainEqual(expect.objectContaining(cause('owner_added_unsigned')));
    },
  );

  it.each([...ALTERATIONS, ...INTRUSIONS, ...UNSIGNED])('names %s', async (_, finding, alter) => {
    const agent = new RecordedAgent();
    alter(agent);
    const { findings } = await agent.verify();
    expect(findings).toContainEqual(expect.objectContaining(finding));
    for (const each of findings) expect(describeFinding(each)).toMatch(/^[A-Z].*\.$/);
  });

  it('names documents of another console', async () => {
    const { findings } = await new RecordedAgent().verify(undefined, 'https://other.example.com');
    expect(findings).toContainEqual(expect.objectContaining(cause('document_of_other_console')));
  });

  it('passes a removal that was approved, an unfreeze that was signed, and what tightens', async () => {
    const agent = new RecordedAgent();
    const value = { ...agent.last('passkeyChanged'), action: 'removed' };
    const effect = () => agent.write({ $case: 'passkeyChanged', value }, agent.ownerId);
    agent.approve(agent.first, 'passkey', termsOf('remove', agent.second), { effect });
    const note = { operator: `owner ${agent.ownerId}`, action: 'unfreeze', reason: '', operationId: '' };
    const unfreeze = () => agent.write({ $case: 'operatorActed', value: note });
    agent.approve(agent.first, 'unfreeze', { frozenSince: 'x' }, { effect: unfreeze });
    agent.changePolicy(['dailyLimitInUsd', '600', '599.999999'], `owner ${agent.ownerId}`);
    const [one, other] = [agent.key.keyId, new CheckpointKey().keyId];
    agent.changePolicy(['allowedRecipients', '[]', JSON.stringify([one, other])], 'agent');
    agent.changePolicy(['allowedRecipients', JSON.stringify([one, other]), JSON.stringify([other])], 'agent');
    const report = await agent.verify();
    expect(report.findings).toEqual([]);
  });

  it('names first recipients that are not addresses of wallets', async () => {
    const agent = new RecordedAgent();
    agent.changePolicy(['allowedRecipients', '[]', `["${agent.key.keyId}"]`], 'agent');
    expect((await agent.verify()).findings).toEqual([]);
    agent.changePolicy(['allowedRecipients', '[]', '["b"]'], 'agent');
    expect((await agent.verify()).findings).toContainEqual(
      expect.objectContaining(cause('loosened_without_approval', { fields: ['allowedRecipients'] })),
    );
  });

  it('says that signatures are not verified without the chains of owners, and checks the rest', async () => {
    const agent = new RecordedAgent();
    const unaltered = await agent.verifyPages(agent.pagesOf(agent.stored()));
    expect(unaltered).toMatchObject({ findings: [], checked: { signatures: 0 } });
    expect(unaltered.notChecked).toContain('owner_chains');
    for (const code of unaltered.notChecked) expect(describeNotChecked(code)).toMatch(/^[A-Z].*\.$/);
    replaceClientData(agent, ORIGIN, 'https://owner.example.org');
    const altered = await agent.verifyPages(agent.pagesOf(agent.stored()));
    expect(altered.findings).toContainEqual(expect.objectContaining(cause('signed_at_other_origin')));
  });
});

describe('apps/ops', () => {
  const asWritten: Alteration = ['nothing', {}, () => undefined];
  const all = [asWritten, ...ALTERATIONS, ...INTRUSIONS];
  const parts = [0, 1, 2].map((part) => [part, all.filter((_, n) => n % 3 === part)] as const);

  it.each(parts)('names the same votes and passkeys, part %s', async (_, alterations) => {
    const [log, expected]: [StoredEvent[], string[]] = [[], []];
    for (const [, , alter] of alterations) {
      const agent = new RecordedAgent();
      alter(agent);
      const stored = agent.stored();
      const report = await agent.verifyPages(agent.pagesOf(stored), (ownerId) => agent.pagesOf(stored, ownerId));
      log.push(...stored);
      expected.push(...namedIn(report));
    }
    expect((await namedByNode(log)).toSorted()).toEqual(expected.toSorted());
  });

  it('names the same changes without a vote', async () => {
    const [log, expected]: [StoredEvent[], string[]] = [[], []];
    for (const [, , alter] of UNSIGNED) {
      const agent = new RecordedAgent();
      alter(agent);
      const stored = agent.stored();
      const report = await agent.verifyPages(agent.pagesOf(stored), (ownerId) => agent.pagesOf(stored, ownerId));
      log.push(...stored);
      expected.push(...report.findings.flatMap((each) => (each.eventId ? [each.eventId] : [])));
    }
    const named = await namedByNode(log, /^(?:FORGED|UNSIGNED) event: .*?event ([0-9a-f-]{36})/gm);
    expect(new Set(named)).toEqual(new Set(expected));
  });
});

function namedIn({ findings }: Report): string[] {
  return findings.flatMap(({ problem, eventId }) => (problem === 'forged' && eventId ? [eventId] : []));
}

/** Returns the ids of events that the command of apps/ops names. It prints twenty findings: the logs are given in parts. */
async function namedByNode(
  log: readonly StoredEvent[],
  line = /^FORGED event: .*?event ([0-9a-f-]{36})/gm,
): Promise<string[]> {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'console-verify-'));
  const file = path.join(directory, 'log.ndjson');
  const events = log.map((event, n) => ({ ...event, position: n + 1 }));
  const hash = batchHash({ firstPosition: 1, eventHashes: events.map((event) => event.hash), previousHash: NO_HASH });
  const records = [{ kind: 'batch', lastPosition: events.length, hash }, ...events];
  await writeFile(file, records.map((record) => `${lineOf(record)}\n`).join(''));
  const program = fileURLToPath(new URL('../../../ops/dist/audit.js', import.meta.url));
  const output = await new Promise<string>((resolve) => {
    execFile(process.execPath, [program, '--from', file], (_, text) => resolve(text));
  });
  await rm(directory, { recursive: true });
  expect(output).not.toMatch(/Not checked|… and/);
  return [...output.matchAll(line)].map(([, id]) => id!);
}

/** Writes one record as a line of an export. */
function lineOf(record: object): string {
  return JSON.stringify(record, (_, value: unknown) => {
    const isBytes = typeof value === 'object' && value !== null && (value as { type?: unknown }).type === 'Buffer';
    return isBytes ? Buffer.from((value as { data: number[] }).data).toString('base64') : value;
  });
}
