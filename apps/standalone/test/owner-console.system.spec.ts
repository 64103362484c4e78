import { eventually, isNightly, needsBrowser, where } from '@agent-wallet/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { type AskedPayment, ConsoleWorld } from './harness/console-world.js';
import { DESKTOP, PHONE } from './harness/owner-browser.js';

const MOST_BYTES = 150_000;
const APPROVE = 'Approve with passkey';
/** Pages whose accessibility the gate checks; the others are checked at night. */
const AUDITED_IN_GATE = ['claim', 'agent', 'approval', 'limits'];

// The steps of one day, each from where the last one ended.
where(describe, needsBrowser())('an owner’s day at the console', () => {
  let world: ConsoleWorld;
  let agentId: string;
  let paid: AskedPayment;
  const look = async (name: string) => {
    if (isNightly || AUDITED_IN_GATE.includes(name)) await world.browser.audit(name);
  };
  const status = (text: string) => world.page.getByRole('status').filter({ hasText: text }).waitFor();

  beforeAll(async () => {
    world = await ConsoleWorld.open();
  });
  afterAll(() => world?.close());

  it('begins with a mailed code and a passkey', async () => {
    await world.makeAccount(look);
    await world.page.getByRole('heading', { name: 'Claim your agent' }).waitFor();
    await look('claim-start');
  });

  it('goes on with a claimed agent that gets limits, also after a reload', async () => {
    const { page } = world;
    await world.claim(async (name) => {
      await look(name);
      if (name !== 'claim') return;
      await page.reload();
      await page.getByRole('heading', { name: 'Claim this agent' }).waitFor();
    });
    agentId = world.agentId();
    await look('agent');
    expect((await world.agent.usage()).status).toBe(200);
    await world.page.goto('/');
    await world.page.getByText(world.agent.email).waitFor();
    await look('agents');
  });

  it('approves a payment on a phone by the keyboard alone, and the payment is made', async () => {
    const { page, browser } = world;
    paid = await world.ask({ amount: 30, memo: 'Rent for May' });
    await page.setViewportSize(PHONE);
    await page.goto('/approvals');
    await page.getByText('asks to pay 30 USDC').first().waitFor();
    await look('approvals');
    await page.goto(`/approvals/${paid.approvalId}`);
    await page.getByRole('button', { name: APPROVE }).waitFor();
    await page.getByText('Rent for May').waitFor();
    expect(await page.locator('.signed .amount').innerText()).toMatch(/30 USDC/);
    await look('approval');
    await page.getByRole('radio', { name: 'Always' }).click();
    await page.getByText('From then on this recipient is known.').waitFor();
    await look('approval-trusted');
    await browser.pressButton(APPROVE);
    await status('Approved.');
    await look('approved');
    const done = await eventually(paid.again, ({ status: code }) => code !== 202);
    expect(done.status).toBe(200);
  });

  it('approves at twice the size, on 320 pixels, without scrolling sideways', async () => {
    const { page, browser } = world;
    const asked = await world.ask({ amount: 2 });
    await page.setViewportSize({ width: 320, height: 512 });
    await page.goto(`/approvals/${asked.approvalId}`);
    await page.getByRole('button', { name: APPROVE }).waitFor();
    expect(await browser.overflow()).toBe(0);
    await browser.pressButton(APPROVE);
    await status('Approved.');
    expect((await eventually(asked.again, ({ status: code }) => code !== 202)).status).toBe(200);
    await page.setViewportSize(DESKTOP);
  });

  it('approves at a zoom of 200 %, where every control can be reached', async () => {
    const { page, browser } = world;
    const asked = await world.ask({ amount: 3 });
    await browser.zoomed(async () => {
      await page.goto(`/approvals/${asked.approvalId}`);
      await page.getByRole('button', { name: APPROVE }).waitFor();
      await page.getByText('Good to know').waitFor();
      expect(await page.evaluate('[innerWidth, innerHeight, devicePixelRatio]')).toEqual([640, 512, 2]);
      await browser.expectAccessible('approval at 200 %');
      expect(await browser.unreachable()).toEqual([]);
      await browser.pressButton(APPROVE);
      await status('Approved.');
    });
    expect((await eventually(asked.again, ({ status: code }) => code !== 202)).status).toBe(200);
  });

  it('rejects another payment, and the agent gets that answer', async () => {
    const { page } = world;
    const asked = await world.ask({ amount: 70 });
    await page.goto(`/approvals/${asked.approvalId}`);
    await page.getByRole('button', { name: 'Reject' }).click();
    await page.getByRole('dialog').waitFor();
    await look('reject');
    await page.getByRole('dialog').getByRole('button', { name: 'Reject' }).click();
    await status('Rejected.');
    const answer = await eventually(asked.again, ({ status: code }) => code !== 202);
    expect(answer).toMatchObject({ status: 403, body: { data: { code: 'APPROVAL_REJECTED' } } });
  });

  it('freezes the agent at once, and unfreezes it by a signature', async () => {
    const { page, agent } = world;
    const pay = () => agent.transfer({ to: paid.to, amount: 1, mint: 'USDC' });
    await page.goto(`/agents/${agentId}`);
    await page.getByRole('button', { name: 'Freeze', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Freeze now' }).click();
    await page.getByText('You froze this agent').waitFor();
    await look('frozen');
    expect(await pay()).toMatchObject({ status: 403, body: { data: { code: expect.stringMatching(/./) } } });
    await page.getByRole('button', { name: 'Unfreeze' }).click();
    await page.getByRole('heading', { name: 'End the freeze' }).waitFor();
    await look('unfreeze');
    expect((await pay()).status).toBe(403);
    await page.getByRole('button', { name: APPROVE }).click();
    await status('Approved.');
    expect((await eventually(pay, ({ status: code }) => code !== 202)).status).toBe(200);
  });

  it('shows every part of the agent without a fault', async () => {
    for (const tab of ['overview', 'positions', 'limits', 'recipients', 'proof']) {
      await world.page.goto(`/agents/${agentId}/${tab}`);
      await world.page.locator('h2').first().waitFor();
      await look(tab);
    }
  });

  it('keeps what changes in view while a limit far below is edited, and names limits as its form does', async () => {
    const { page } = world;
    await page.goto(`/agents/${agentId}/limits`);
    await page.getByLabel('Tokens that may leave without a price').scrollIntoViewIfNeeded();
    const { y } = (await page.getByRole('heading', { name: 'What changes' }).boundingBox())!;
    expect(y).toBeGreaterThan(0);
    expect(y).toBeLessThan(DESKTOP.height / 2);
    expect(await page.locator('main').innerText()).not.toMatch(/InUsd|allow[A-Z]/);
  });

  it('says on a phone at once what a preset changes, and leads to the list of it', async () => {
    const { page, browser } = world;
    await page.setViewportSize(PHONE);
    await page.goto(`/agents/${agentId}/limits`);
    await page.getByLabel('Careful').check();
    const review = page.getByRole('button', { name: 'Review', exact: true });
    expect((await review.boundingBox())!.y).toBeLessThan(PHONE.height);
    expect(await page.locator('.change-bar').innerText()).toMatch(/^\d changes/);
    await browser.expectAccessible('changed limits on a phone');
    await review.click();
    expect((await page.getByRole('heading', { name: 'What changes' }).boundingBox())!.y).toBeLessThan(PHONE.height / 2);
    await page.setViewportSize(DESKTOP);
  });

  it('shows a payment as it happens, without a reload', async () => {
    const { page, agent } = world;
    await page.goto(`/agents/${agentId}/activity`);
    await page.locator('.history .row').first().waitFor();
    expect((await agent.transfer({ to: paid.to, amount: 1.25, mint: 'USDC' })).status).toBe(200);
    await page.locator('.history .row').filter({ hasText: '1.25 USDC' }).filter({ hasText: 'Confirmed' }).waitFor();
  });

  it('has the confirmed payment in its history, and in the file that it saves', async () => {
    const { page } = world;
    await page.goto(`/agents/${agentId}/activity`);
    const row = page.locator('.history .row').filter({ hasText: '30 USDC' });
    await eventually(async () => {
      if ((await row.filter({ hasText: 'Confirmed' }).count()) === 1) return true;
      await page.reload();
      await row.first().waitFor();
      return false;
    });
    await look('activity');
    await row.click();
    await page.getByRole('dialog').waitFor();
    await look('transaction');
    await page.getByRole('button', { name: 'Close' }).click();
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save as CSV' }).click(),
    ]);
    expect(saved.suggestedFilename()).toBe(`activity-${agentId}.csv`);
    const lines = (await readFile(await saved.path(), 'utf8')).split('\r\n');
    expect(lines[0]).toMatch(/^createdAt,action,status,amount,asset,to,signature,id,mint,amountRaw,valueUsd,fee,/);
    expect(lines).toContainEqual(expect.stringMatching(new RegExp(`,transfer,confirmed,30,USDC,${paid.to},`)));
  });

  it('adds a passkey of another device, removes it again, and keeps the last one', async () => {
    const { page, browser } = world;
    await page.getByRole('link', { name: 'Passkeys' }).click();
    await page.getByText('This is your only passkey.').waitFor();
    await look('passkeys-one');
    const add = () => page.getByRole('button', { name: 'Add a passkey' }).click();
    await browser.onOtherDevice(async () => {
      await add();
      await page.getByRole('heading', { name: 'Add a passkey' }).waitFor();
    });
    await look('passkey-add');
    await page.getByRole('button', { name: APPROVE }).click();
    await status('Approved.');
    await page.getByRole('link', { name: 'Passkeys' }).click();
    await page.getByRole('button', { name: 'Remove Passkey 2' }).waitFor();
    await look('passkeys');
    await page.getByRole('button', { name: 'Remove Passkey 2' }).click();
    await look('passkey-remove');
    await page.getByRole('button', { name: 'Review the removal' }).click();
    await page.getByRole('heading', { name: 'Remove a passkey' }).waitFor();
    await page.getByRole('button', { name: APPROVE }).click();
    await status('Approved.');
    await page.getByRole('link', { name: 'Passkeys' }).click();
    await page.getByText('This is your only passkey.').waitFor();
    expect(await page.getByRole('button', { name: /^Remove/ }).count()).toBe(0);
  });

  it('without the passkey stops the agent by a mailed code, and rejects what it asked for', async () => {
    const { page } = world;
    const asked = await world.ask();
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByRole('button', { name: 'Log in with passkey' }).waitFor();
    await world.logInByMail(look);
    await page.getByText('You are logged in by mail.').waitFor();
    await page.goto(`/approvals/${asked.approvalId}`);
    await page.getByRole('button', { name: 'Reject' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Reject' }).click();
    await status('Rejected.');
    await page.goto(`/agents/${agentId}`);
    await page.getByRole('button', { name: 'Freeze', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Freeze now' }).click();
    await page.getByText('You froze this agent').waitFor();
    await look('by-mail');
    expect((await eventually(asked.again, ({ status: code }) => code !== 202)).status).toBe(403);
  });

  it('ends a token of the agent, and all its sessions', async () => {
    const { page, agent } = world;
    const opened = { name: 'Trading bot', scopes: ['read', 'trade'], dailyLimitInUsd: 50 };
    const { sessionToken } = (await agent.openToken(opened)).body.data;
    await page.goto(`/agents/${agentId}/sessions`);
    await page.getByRole('heading', { name: 'Sessions' }).waitFor();
    await page.getByRole('rowheader', { name: 'Trading bot' }).waitFor();
    await look('sessions');
    await page.getByRole('button', { name: 'End token Trading bot' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'End token' }).click();
    await page.getByText('No tokens.').waitFor();
    expect((await agent.as(sessionToken).balances()).status).toBe(401);
    await page.getByRole('button', { name: 'End all sessions' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'End all sessions' }).click();
    await page.getByText('1 session has ended.').waitFor();
    expect((await agent.balances()).status).toBe(401);
  });

  it('logs out, and in again by the passkey', async () => {
    const { page } = world;
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByRole('button', { name: 'Log in with passkey' }).waitFor();
    await look('login');
    await page.getByRole('button', { name: 'Log in with passkey' }).click();
    await page.getByRole('heading', { name: 'Your agents' }).waitFor();
  });

  it('has made no complaint, and has spoken to the console and the API alone', async () => {
    const { browser, apiUrl } = world;
    expect(browser.complaints).toEqual([]);
    expect([...browser.origins].sort()).toEqual([browser.consoleUrl, apiUrl].sort());
    const html = await (await fetch(browser.consoleUrl)).text();
    expect(html).not.toMatch(/<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)/);
  });

  it('loads at first with at most 150 kB, also where the machine is slow', async () => {
    const { browser } = world;
    const context = await browser.newContext();
    const page = await context.newPage();
    const protocol = await context.newCDPSession(page);
    await protocol.send('Network.enable');
    await protocol.send('Emulation.setCPUThrottlingRate', { rate: 4 });
    const own = new Set<string>();
    let bytes = 0;
    protocol.on('Network.responseReceived', ({ requestId, response }) => {
      if (new URL(response.url).origin === browser.consoleUrl) own.add(requestId);
    });
    protocol.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
      if (own.has(requestId)) bytes += encodedDataLength;
    });
    await page.addInitScript({ content: NOTES_WHEN_USABLE });
    await page.goto('/login', { waitUntil: 'networkidle' });
    const usableMs = await eventually(() => page.evaluate('globalThis.usableAtMs ?? false'));
    process.stdout.write(`the console's first load: ${bytes} bytes, usable after ${Math.round(Number(usableMs))} ms\n`);
    expect(own.size).toBeGreaterThan(2);
    expect(bytes).toBeLessThanOrEqual(MOST_BYTES);
    await context.close();
  });
});

/** Notes when the page first has a heading and a button that can be pressed, in milliseconds from its navigation. */
const NOTES_WHEN_USABLE = `(function look() {
  if (document.querySelector('h1') && document.querySelector('button:enabled')) globalThis.usableAtMs = performance.now();
  else requestAnimationFrame(look);
})()`;
