import { policyV1 } from '@agent-wallet/contracts';
import { auditEvent, createPostgresPublisher } from '@agent-wallet/events';
import { eventually } from '@agent-wallet/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { approval, ASSERTION, Browser, FakeOwners, LOGIN_DOCUMENT, ORIGIN } from './owner-console.js';
import { World } from './world.js';

let world: World;
let fake: FakeOwners;

const PHONE = Buffer.from('the phone').toString('base64url');

beforeAll(async () => {
  world = await World.open({ ownerOrigin: ORIGIN });
});
afterAll(() => world.close());
beforeEach(async () => {
  await world.reset();
  fake = new FakeOwners(world);
});

/** Logs an owner in twice, the second time with a passkey that is called the phone. */
async function openTwo(email: string) {
  const [browser, phone] = ['10.6.0.1', '10.6.0.2'].map((network) => new Browser(world.client.from(network))) as [
    Browser,
    Browser,
  ];
  const ownerId = await browser.openWithPasskey(world, email);
  fake.signer = ownerId;
  const login = { document: LOGIN_DOCUMENT, assertion: { ...ASSERTION, id: PHONE, rawId: PHONE } };
  expect((await phone.post('/owner/login/passkey', login)).status).toBe(200);
  return { browser, phone, ownerId };
}

/** Signs an approval about the phone, and returns the status of the phone's session afterwards. */
async function sign(email: string, action: 'add' | 'remove', state: policyV1.ApprovalState): Promise<number> {
  const { browser, phone, ownerId } = await openTwo(email);
  const document = Buffer.from(JSON.stringify({ terms: { action, credentialId: PHONE } }));
  const asked = approval({ ownerId, kind: policyV1.ApprovalKind.APPROVAL_KIND_PASSKEY, document });
  fake.approvals.set(asked.approvalId, asked);
  fake.result = { state, effectiveAtMs: 0n };
  const vote = await browser.post(`/owner/approvals/${asked.approvalId}/approve`, { assertion: ASSERTION });
  expect(vote.status).toBe(200);
  expect((await browser.get('/owner/me')).status).toBe(200);
  return (await phone.get('/owner/me')).status;
}

describe('the sessions of a passkey', () => {
  const { APPROVAL_STATE_APPLIED: applied, APPROVAL_STATE_SUPERSEDED: superseded } = policyV1.ApprovalState;

  it('have ended when its removal is answered', async () => {
    expect(await sign('removes@example.com', 'remove', applied)).toBe(401);
  });

  it('go on after a removal without effect, and after an addition', async () => {
    expect(await sign('keeps@example.com', 'remove', superseded)).toBe(200);
    expect(await sign('adds@example.com', 'add', applied)).toBe(200);
  });

  it('end with the event of its removal, and no others do', async () => {
    const { browser, phone, ownerId } = await openTwo('two-passkeys@example.com');
    const removed = {
      $case: 'passkeyChanged',
      value: {
        ...{ ownerId, action: 'removed', credentialId: Buffer.from('the phone'), coseKey: Buffer.alloc(0) },
        ...{ attestationObject: Buffer.alloc(0), clientDataJson: Buffer.alloc(0) },
      },
    } as const;
    const event = auditEvent({ source: 'policy', clock: world.clock }, ownerId, removed);
    await createPostgresPublisher(world.events).publish([event]);
    await eventually(async () => (await phone.get('/owner/me')).status === 401);
    expect((await browser.get('/owner/me')).status).toBe(200);
  });
});
