import { auditEvent, createPostgresPublisher } from '@agent-wallet/events';
import { eventually } from '@agent-wallet/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ASSERTION, Browser, FakeOwners, LOGIN_DOCUMENT, ORIGIN } from './owner-console.js';
import { World } from './world.js';

let world: World;
let fake: FakeOwners;

beforeAll(async () => {
  world = await World.open({ ownerOrigin: ORIGIN });
});
afterAll(() => world.close());
beforeEach(async () => {
  await world.reset();
  fake = new FakeOwners(world);
});

describe('the sessions of a passkey', () => {
  it('end with its removal, and no others do', async () => {
    const [browser, phone] = ['10.6.0.1', '10.6.0.2'].map((network) => new Browser(world.client.from(network)));
    const ownerId = await browser!.openWithPasskey(world, 'two-passkeys@example.com');
    fake.signer = ownerId;
    const id = Buffer.from('the phone').toString('base64url');
    const login = { document: LOGIN_DOCUMENT, assertion: { ...ASSERTION, id, rawId: id } };
    expect((await phone!.post('/owner/login/passkey', login)).status).toBe(200);
    const removed = {
      $case: 'passkeyChanged',
      value: {
        ...{ ownerId, action: 'removed', credentialId: Buffer.from('the phone'), coseKey: Buffer.alloc(0) },
        ...{ attestationObject: Buffer.alloc(0), clientDataJson: Buffer.alloc(0) },
      },
    } as const;
    const event = auditEvent({ source: 'policy', clock: world.clock }, ownerId, removed);
    await createPostgresPublisher(world.events).publish([event]);
    await eventually(async () => (await phone!.get('/owner/me')).status === 401);
    expect((await browser!.get('/owner/me')).status).toBe(200);
  });
});
