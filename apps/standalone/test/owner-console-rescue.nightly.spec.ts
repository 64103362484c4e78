import { eventually, needsBrowser, where } from '@agent-wallet/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { ConsoleWorld } from './harness/console-world.js';
import { newRecipient } from './harness/recipient.js';

const APPROVE = 'Approve with passkey';

// Stories at the console of `npm start`, whose policy's clock is advanced. Each goes on from where the last one ended.
where(describe, needsBrowser())('a person for whom something goes wrong, at the console', () => {
  let world: ConsoleWorld;
  let agentId: string;
  const look = (name: string) => world.browser.audit(name);
  const status = (text: string, page: Page = world.page) =>
    page.getByRole('status').filter({ hasText: text }).waitFor();
  const pays = async () => {
    const { status: code, body } = await world.agent.transfer({ to: newRecipient(), amount: 1, mint: 'USDC' });
    return code === 200 ? 'paid' : ((body.data as { rule?: string }).rule ?? code);
  };

  beforeAll(async () => {
    world = await ConsoleWorld.open({ CLAIM_DELAY_HOURS: '24' });
  });
  afterEach(() => world.later('0'));
  afterAll(() => world?.close());

  it('cancels a stranger’s claim with a code from the agent’s mailbox, and the agent goes on', async () => {
    await world.makeAccount();
    await world.signClaim();
    await look('claim-signed');
    const stranger = await world.browser.newContext();
    const page = await stranger.newPage();
    await page.goto('/cancel-claim');
    await world.passCode('The agent’s e-mail address', world.agent.email, { page });
    await page.getByRole('button', { name: 'Cancel the claim' }).click();
    await status('Cancelled. The agent stays without an owner.', page);
    await stranger.close();
    await world.later('25 hours');
    await world.seen('/', 'No agents yet');
    await world.later('0');
    expect(await pays()).toBe('paid');
  });

  it('gets an agent back that someone else has claimed and frozen: the operator releases it', async () => {
    const { page } = world;
    await page.goto('/welcome');
    await world.signClaim();
    await world.later('25 hours');
    await world.seen('/', world.agent.email);
    await page.getByText(world.agent.email).click();
    await page.getByRole('button', { name: 'Freeze', exact: true }).waitFor();
    agentId = world.agentId();
    await page.getByRole('button', { name: 'Freeze', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Freeze now' }).click();
    await page.getByText('You froze this agent').waitFor();
    await world.later('0');
    await eventually(pays, (result) => result === 'frozen');
    await world.ops('owners', 'release', agentId);
    await page.goto('/approvals');
    await page.getByText('Act of the operator').click();
    await page.getByRole('button', { name: 'Object with passkey' }).waitFor();
    await look('objection');
    await world.later('73 hours');
    await world.seen('/', 'No agents yet');
    await world.later('0');
    expect(await pays()).toBe('paid');
  });

  it('replaces a lost passkey with the operator’s word, and moves the money', async () => {
    const { page, browser } = world;
    await page.goto('/welcome');
    await world.signClaim();
    await world.later('25 hours');
    await world.seen('/', world.agent.email);
    await world.later('0');
    await browser.loseDevice();
    await world.logInByMail(async () => undefined);
    await page.goto(`/agents/${agentId}`);
    await page.getByRole('button', { name: 'Freeze', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Freeze now' }).click();
    await page.getByText('You froze this agent').waitFor();
    expect(await pays()).toBe('frozen');
    await page.goto('/passkeys');
    await page.getByRole('button', { name: 'Replace lost passkeys' }).click();
    await page.getByText('Give this number to the operator').waitFor();
    await look('recovery');
    const [recovery] = /[\w-]{36}$/.exec(page.url())!;
    await world.ops('recoveries', 'confirm', recovery);
    await page.reload();
    await status('The operator confirmed it');
    await world.later('73 hours');
    await world.seen(`/approvals/${recovery}`, 'Approved.');
    await world.later('0');
    await page.goto('/login');
    await page.getByRole('button', { name: 'Log in with passkey' }).click();
    await page.getByText(world.agent.email).click();
    await page.getByRole('button', { name: 'Unfreeze' }).click();
    await page.getByRole('button', { name: APPROVE }).click();
    await status('Approved.');
    expect(await pays()).toBe('paid');
  });
});
