import { newId } from '@agent-wallet/kernel';
import { currentRequest } from '@agent-wallet/platform';
import { eventually } from '@agent-wallet/testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Browser, FakeOwners, ORIGIN } from './owner-console.js';
import { readMail } from './notice-desk.js';
import { World } from './world.js';

let world: World;
beforeAll(async () => {
  world = await World.open({ ownerOrigin: ORIGIN });
  // A second gateway, which follows the same stream.
  await world.start();
});
afterAll(() => world.close());

const noticesTo = (email: string) => world.inbox.notices.filter(({ to }) => to === email);

it('logins from new networks are noticed once by two gateways, and hide no code', async () => {
  const email = 'traveller@example.com';
  for (const address of ['10.7.1.1', '10.7.2.2', '10.7.2.3']) await world.tokenFor(email, world.client.from(address));
  await eventually(() => noticesTo(email).length > 0);
  await world.tokenFor(email, world.client.from('10.7.3.4'));
  await eventually(() => noticesTo(email).length > 1);
  const notices = await Promise.all(noticesTo(email).map(readMail));
  const networks = notices.map(({ body }) => /^From the network: (.*)$/m.exec(body)?.[1]);
  expect(networks).toEqual(['10.7.2.0/24', '10.7.3.0/24']);
  expect(world.inbox.lastCode(email)).toMatch(/^\d{6}$/);
});

it('every service learns who asks, and from which network', async () => {
  const asked: unknown[] = [];
  const { updatePolicy } = world.script.policy;
  world.script.policy.updatePolicy = (...call) => {
    asked.push(currentRequest());
    return updatePolicy(...call);
  };
  const { client, agentId } = await world.login();
  // A client names itself in vain.
  const headers = { 'x-asked-by': `owner ${newId()}`, 'x-asked-from': '1.1.1.0/24' };
  await client.call('PATCH', '/wallets/me/policy', { body: { allowTrading: false }, headers });
  expect(asked).toEqual([expect.objectContaining({ agentId, askedBy: 'agent', askedFrom: '10.1.0.0/24' })]);

  const owners = new FakeOwners(world);
  const { requestApproval } = world.script.owners;
  world.script.owners.requestApproval = (...call) => {
    asked.push(currentRequest());
    return requestApproval!(...call);
  };
  const browser = new Browser(world.client.from('2001:db8:7:1::1'));
  const ownerId = await browser.openWithPasskey(world, 'me@example.com');
  owners.agents.push({ ownerId, agentId });
  await browser.post(`/owner/agents/${agentId}/unfreeze`, {});
  expect(asked[1]).toMatchObject({ askedBy: `owner ${ownerId}`, askedFrom: '2001:db8:7::/48' });
});
