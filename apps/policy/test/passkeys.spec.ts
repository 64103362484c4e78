import { policyV1 } from '@agent-wallet/contracts';
import { newId } from '@agent-wallet/kernel';
import { Authenticator, eventually } from '@agent-wallet/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { challengeOf, documentOf, OwnersUnderTest, type TestOwner } from './owners-under-test.js';
import { OWNER_ORIGIN } from './service.js';

const REFUSED = { code: 'ASSERTION_INVALID' };
const { APPROVAL_STATE_APPLIED, APPROVAL_STATE_SUPERSEDED, APPROVAL_STATE_REJECTED } = policyV1.ApprovalState;

let policy: OwnersUnderTest;
beforeAll(async () => {
  policy = await OwnersUnderTest.start();
});
afterAll(() => policy.stop());
afterEach(() => policy.database.shiftClock('0'));

const passkeysOf = async (ownerId: string) =>
  (await policy.owners.listPasskeys({ ownerId })).passkeys.map(({ credentialId }) => credentialId);
/** Another authenticator of an owner. */
const another = ({ ownerId }: TestOwner): TestOwner => ({ ownerId, authenticator: new Authenticator(OWNER_ORIGIN) });

describe('the first passkey of an owner', () => {
  it.each(['ES256', 'EdDSA', 'RS256'] as const)('is stored at once, with %s', async (algorithm) => {
    const { ownerId, authenticator } = await policy.newOwner(algorithm);
    expect(await passkeysOf(ownerId)).toEqual([authenticator.credentialId]);
  });

  it('is published with what the registration was signed over', async () => {
    const owner: TestOwner = { ownerId: newId(), authenticator: new Authenticator(OWNER_ORIGIN) };
    const facts = await policy.factsDuring(owner.ownerId, () => policy.addPasskey(owner));
    expect(facts).toMatchObject([
      {
        $case: 'passkeyChanged',
        value: {
          ...{ ownerId: owner.ownerId, credentialId: owner.authenticator.credentialId, action: 'added' },
          ...{ coseKey: owner.authenticator.coseKey(), attestationObject: expect.any(Buffer) },
          clientDataJson: expect.any(Buffer),
        },
      },
    ]);
  });

  it('cannot be a credential that another owner has', async () => {
    const { authenticator } = await policy.newOwner();
    const thief = { ownerId: newId(), authenticator };
    await expect(policy.addPasskey(thief)).rejects.toMatchObject(REFUSED);
    expect(await passkeysOf(thief.ownerId)).toEqual([]);
  });
});

describe('the challenge of a registration', () => {
  it('is good once, for its owner only', async () => {
    const [ownerId, other] = [newId(), newId()];
    const { challenge, rpId } = await policy.owners.createPasskeyChallenge({ ownerId });
    expect([challenge.length, rpId]).toEqual([32, 'owner.example.com']);
    const registrationJson = new Authenticator(OWNER_ORIGIN).register(challenge);
    await expect(policy.owners.addPasskey({ ownerId: other, registrationJson })).rejects.toMatchObject(REFUSED);
    await policy.owners.addPasskey({ ownerId, registrationJson });
    await expect(policy.owners.addPasskey({ ownerId, registrationJson })).rejects.toMatchObject(REFUSED);
  });

  it('is good for ten minutes by the clock of the database, exactly', async () => {
    for (const [interval, isGood] of [
      ['599 seconds', true],
      ['601 seconds', false],
    ] as const) {
      const ownerId = newId();
      await policy.database.shiftClock('0');
      const { challenge } = await policy.owners.createPasskeyChallenge({ ownerId });
      await policy.database.shiftClock(interval);
      const registrationJson = new Authenticator(OWNER_ORIGIN).register(challenge);
      const adding = policy.owners.addPasskey({ ownerId, registrationJson });
      await (isGood ? expect(adding).resolves.toBeDefined() : expect(adding).rejects.toMatchObject(REFUSED));
    }
  });

  it('lives on only for the latest five of an owner', async () => {
    const ownerId = newId();
    const challenges: Buffer[] = [];
    for (let n = 0; n < 6; n += 1) {
      challenges.push((await policy.owners.createPasskeyChallenge({ ownerId })).challenge);
    }
    const tried = (challenge: Buffer) =>
      policy.owners.addPasskey({ ownerId, registrationJson: new Authenticator(OWNER_ORIGIN).register(challenge) });
    await expect(tried(challenges[0]!)).rejects.toMatchObject(REFUSED);
    await expect(tried(challenges[1]!)).resolves.toBeDefined();
  });

  it('of a login does not register a passkey', async () => {
    const { document } = await policy.owners.createLoginChallenge({});
    const registrationJson = new Authenticator(OWNER_ORIGIN).register(challengeOf(document));
    await expect(policy.owners.addPasskey({ ownerId: newId(), registrationJson })).rejects.toMatchObject(REFUSED);
  });
});

describe('another passkey', () => {
  it('is added by a signature of the existing one over its key', async () => {
    const owner = await policy.newOwner();
    const second = another(owner);
    const { approval } = await policy.addPasskey(second);
    expect(await passkeysOf(owner.ownerId)).toHaveLength(1);
    expect(documentOf(approval!)).toMatchObject({
      kind: 'passkey',
      owner: owner.ownerId,
      terms: {
        action: 'add',
        credentialId: second.authenticator.credentialId.toString('base64url'),
        coseKey: second.authenticator.coseKey().toString('base64url'),
      },
    });
    await expect(policy.vote(second, approval!)).rejects.toMatchObject(REFUSED);
    expect(await policy.vote(owner, approval!)).toBe(APPROVAL_STATE_APPLIED);
    expect(await passkeysOf(owner.ownerId)).toHaveLength(2);
    const { approval: removal } = await policy.owners.removePasskey({
      ownerId: owner.ownerId,
      credentialId: owner.authenticator.credentialId,
    });
    expect(await policy.vote(second, removal!)).toBe(APPROVAL_STATE_APPLIED);
    expect(await passkeysOf(owner.ownerId)).toEqual([second.authenticator.credentialId]);
  });

  it('of the owner is not added when the owner rejects it', async () => {
    const owner = await policy.newOwner();
    const { approval } = await policy.addPasskey(another(owner));
    const { approvalId } = approval!;
    const by = { $case: 'ownerId', value: owner.ownerId } as const;
    expect((await policy.owners.closeApproval({ approvalId, by })).approval?.state).toBe(APPROVAL_STATE_REJECTED);
    await expect(policy.vote(owner, approval!)).rejects.toMatchObject({ code: 'APPROVAL_CLOSED' });
    expect(await passkeysOf(owner.ownerId)).toHaveLength(1);
  });

  it.each(['credentialId', 'coseKey'] as const)(
    'is not added when its stored %s is not the signed one',
    async (field) => {
      const owner = await policy.newOwner();
      const { approval } = await policy.addPasskey(another(owner));
      const forged = new Authenticator(OWNER_ORIGIN);
      await policy.database.rows(
        'update approvals set registration = registration || $2::jsonb where id = $1',
        approval!.approvalId,
        JSON.stringify({
          [field]: (field === 'coseKey' ? forged.coseKey() : forged.credentialId).toString('base64url'),
        }),
      );
      expect(await policy.vote(owner, approval!)).toBe(APPROVAL_STATE_SUPERSEDED);
      expect(await passkeysOf(owner.ownerId)).toEqual([owner.authenticator.credentialId]);
    },
  );

  it('is refused beyond ten, also where it was requested before, and beyond five that wait', async () => {
    const owner = await policy.newOwner();
    const { approval: early } = await policy.addPasskey(another(owner));
    for (let n = 1; n < 10; n += 1) {
      await policy.vote(owner, (await policy.addPasskey(another(owner))).approval!);
    }
    await expect(policy.addPasskey(another(owner))).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    expect(await policy.vote(owner, early!)).toBe(APPROVAL_STATE_SUPERSEDED);
    expect(await passkeysOf(owner.ownerId)).toHaveLength(10);
    const other = await policy.newOwner();
    for (let n = 0; n < 5; n += 1) await policy.addPasskey(another(other));
    await expect(policy.addPasskey(another(other))).rejects.toMatchObject({
      code: 'POLICY_VIOLATION',
      data: { rule: 'too_many_approvals' },
    });
  });
});

describe('the last passkey', () => {
  it('is not removed, also when two removals were requested before', async () => {
    const owner = await policy.newOwner();
    const credentialId = owner.authenticator.credentialId;
    const remove = (id: Buffer) => policy.owners.removePasskey({ ownerId: owner.ownerId, credentialId: id });
    await expect(remove(credentialId)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    const second = another(owner);
    await policy.vote(owner, (await policy.addPasskey(second)).approval!);
    const [first, last] = [await remove(credentialId), await remove(second.authenticator.credentialId)];
    expect(await remove(credentialId)).toEqual(first);
    expect(await policy.vote(second, first.approval!)).toBe(APPROVAL_STATE_APPLIED);
    expect(await policy.vote(second, last.approval!)).toBe(APPROVAL_STATE_SUPERSEDED);
    expect(await passkeysOf(owner.ownerId)).toEqual([second.authenticator.credentialId]);
  });

  it('of another owner is not found', async () => {
    const [owner, other] = [await policy.newOwner(), await policy.newOwner()];
    const { credentialId } = other.authenticator;
    const removing = policy.owners.removePasskey({ ownerId: owner.ownerId, credentialId });
    await expect(removing).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('a login', () => {
  it('says whose passkey signed its document, once', async () => {
    const { ownerId, authenticator } = await policy.newOwner();
    const { document } = await policy.owners.createLoginChallenge({});
    expect(JSON.parse(document.toString())).toMatchObject({ type: 'agent-wallet.login.v1', origin: OWNER_ORIGIN });
    const assertionJson = authenticator.assert(challengeOf(document));
    expect(await policy.owners.verifyLogin({ document, assertionJson })).toEqual({ ownerId });
    await expect(policy.owners.verifyLogin({ document, assertionJson })).rejects.toMatchObject(REFUSED);
    const again = authenticator.assert(challengeOf(document));
    await expect(policy.owners.verifyLogin({ document, assertionJson: again })).rejects.toMatchObject(REFUSED);
  });

  it('is good for five minutes by the clock of the database, exactly', async () => {
    const { ownerId, authenticator } = await policy.newOwner();
    for (const [interval, isGood] of [
      ['299 seconds', true],
      ['301 seconds', false],
    ] as const) {
      await policy.database.shiftClock('0');
      const { document } = await policy.owners.createLoginChallenge({});
      await policy.database.shiftClock(interval);
      const assertionJson = authenticator.assert(challengeOf(document));
      const login = policy.owners.verifyLogin({ document, assertionJson });
      await (isGood ? expect(login).resolves.toEqual({ ownerId }) : expect(login).rejects.toMatchObject(REFUSED));
    }
  });

  it('is not shut out by strangers, who ask for thousands of documents or sign with no passkey', async () => {
    const { ownerId, authenticator } = await policy.newOwner();
    const { document } = await policy.owners.createLoginChallenge({});
    const rows = () =>
      policy.database.rows('select challenge from challenges union all select document_hash from used_logins');
    const before = await rows();
    for (let n = 0; n < 1_001; n += 100) {
      await Promise.all(Array.from({ length: 100 }, () => policy.owners.createLoginChallenge({})));
    }
    const assertionJson = new Authenticator(OWNER_ORIGIN).assert(challengeOf(document));
    await expect(policy.owners.verifyLogin({ document, assertionJson })).rejects.toMatchObject(REFUSED);
    expect(await rows()).toEqual(before);
    const signed = authenticator.assert(challengeOf(document));
    expect(await policy.owners.verifyLogin({ document, assertionJson: signed })).toEqual({ ownerId });
  });

  it('leaves its row until a minute after it has expired, and then goes', async () => {
    const owner = await policy.newOwner();
    const { document } = await policy.owners.createLoginChallenge({});
    await policy.owners.verifyLogin({ document, assertionJson: owner.authenticator.assert(challengeOf(document)) });
    const kept = (hash: Buffer) => policy.database.rows('select from used_logins where document_hash = $1', hash);
    // One that is over for longer shows that the sweeper has passed.
    const older = Buffer.alloc(32, 9);
    const insert = "insert into used_logins values ($1, policy.now() - interval '61 seconds')";
    await policy.database.shiftClock('5 minutes 30 seconds');
    await policy.database.rows(insert, older);
    await eventually(async () => (await kept(older)).length === 0);
    expect(await kept(challengeOf(document))).toHaveLength(1);
    await policy.database.shiftClock('6 minutes 5 seconds');
    await eventually(async () => (await kept(challengeOf(document))).length === 0);
  });

  it('needs a document that policy made', async () => {
    const { authenticator } = await policy.newOwner();
    const made = (await policy.owners.createLoginChallenge({})).document.toString();
    const later = made.replace(/"expiresAt":"2/, '"expiresAt":"3');
    expect(later).not.toBe(made);
    for (const forged of [later, made.replace(/"mac":"[^"]*"/, `"mac":"${'A'.repeat(43)}"`), '{}', '']) {
      const document = Buffer.from(forged);
      const assertionJson = authenticator.assert(challengeOf(document));
      await expect(policy.owners.verifyLogin({ document, assertionJson })).rejects.toMatchObject(REFUSED);
    }
  });

  it('is refused with an unknown passkey, an approval signed instead, or a counter that went back', async () => {
    const owner = await policy.newOwner();
    const attempt = async (assert: (challenge: Buffer) => string) => {
      const { document } = await policy.owners.createLoginChallenge({});
      return policy.owners.verifyLogin({ document, assertionJson: assert(challengeOf(document)) });
    };
    const stranger = new Authenticator(OWNER_ORIGIN);
    await expect(attempt((challenge) => stranger.assert(challenge))).rejects.toMatchObject(REFUSED);
    const { approval } = await policy.addPasskey(another(owner));
    const signed = () => owner.authenticator.assert(challengeOf(approval!.document));
    await expect(attempt(signed)).rejects.toMatchObject(REFUSED);
    await attempt((challenge) => owner.authenticator.assert(challenge, { signCount: 90 }));
    await expect(attempt((c) => owner.authenticator.assert(c, { signCount: 90 }))).rejects.toMatchObject(REFUSED);
    await expect(attempt((c) => owner.authenticator.assert(c, { signCount: 0 }))).rejects.toMatchObject(REFUSED);
  });
});
