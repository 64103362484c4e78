import { eventually, needsBrowser, where } from '@agent-wallet/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { type AskedPayment, ConsoleWorld } from './harness/console-world.js';
import { PHONE } from './harness/owner-browser.js';

const APPROVE = 'Approve with passkey';
const HISTORY_ROWS = 10_000;
const MARKUP = '<img src=x onerror="globalThis.hacked = true"><script>globalThis.hacked = true</script><b>bold</b>';
/** Right-to-left override, isolate, zero-width space, tag character: all of them invisible. */
const HIDDEN = '\u202Egnp.exe\u2067\u200B\u{E0041}';

interface Document {
  readonly [name: string]: unknown;
  readonly terms: Readonly<Record<string, unknown>>;
}

where(describe, needsBrowser())('a console that is lied to', () => {
  let world: ConsoleWorld;
  let page: Page;
  let agentId: string;

  beforeAll(async () => {
    world = await ConsoleWorld.open();
    page = world.page;
    await world.makeAccount();
    await world.claim();
    agentId = world.agentId();
  });
  beforeEach(() => page.unrouteAll());
  afterAll(() => world?.close());

  /** Answers with another document than the one that the service holds, and shows the page of its approval. */
  const show = async ({ approvalId }: AskedPayment, change: (document: Document) => object) => {
    await page.route(`${world.apiUrl}/owner/approvals/${approvalId}`, async (route) => {
      const response = await route.fetch();
      const body = (await response.json()) as { data: { document: string } };
      const document = canonical(change(JSON.parse(body.data.document) as Document));
      await route.fulfill({ response, json: { ...body, data: { ...body.data, document } } });
    });
    await page.goto(`/approvals/${approvalId}`);
  };
  const withTerms = (changed: object) => (document: Document) => ({
    ...document,
    terms: { ...document.terms, ...changed },
  });
  const isWaiting = async ({ again }: AskedPayment) => (await again()).status === 202;

  describe('shows nothing of, and signs nothing of, a document', () => {
    it.each([
      [
        'of another approval',
        (document: Document) => ({ ...document, id: randomUUID() }),
        'This text belongs to another request.',
      ],
      [
        'of another origin',
        (document: Document) => ({ ...document, origin: 'https://console.example' }),
        'This request was made for another site, https://console.example.',
      ],
      [
        'with a field that it does not know',
        (document: Document) => ({ ...document, surcharge: '1000000' }),
        'We do not understand every part of this request.',
      ],
      [
        'with a term that it does not know',
        withTerms({ surcharge: '1000000' }),
        'We do not understand every part of this request.',
      ],
      [
        'with an amount that is not a number',
        withTerms({ amount: '5000000 ' }),
        'We do not understand every part of this request.',
      ],
    ])('%s', async (_what, change, message) => {
      const asked = await world.ask();
      await show(asked, change);
      const refusal = page.getByRole('alert').filter({ hasText: 'We cannot show this request' });
      await refusal.waitFor();
      expect(await refusal.innerText()).toContain(message);
      expect(await page.getByRole('button', { name: APPROVE }).count()).toBe(0);
      expect(await page.locator('.signed').count()).toBe(0);
      expect(await isWaiting(asked)).toBe(true);
    });
  });

  it('gets no signature accepted over a changed amount: what is signed is what was shown', async () => {
    const asked = await world.ask({ amount: 6 });
    await show(asked, withTerms({ amount: '1000000' }));
    await page.getByText('1 USDC').first().waitFor();
    expect(await refusedApproval()).toEqual({ status: 401, code: 'ASSERTION_INVALID' });
    expect(await isWaiting(asked)).toBe(true);
  });

  it('gets no signature accepted over bytes that were changed after they were shown', async () => {
    const asked = await world.ask({ amount: 7 });
    await page.goto(`/approvals/${asked.approvalId}`);
    await page.getByText('7 USDC').first().waitFor();
    await page.evaluate(`{
      const digest = crypto.subtle.digest.bind(crypto.subtle);
      crypto.subtle.digest = (name, bytes) =>
        digest(name, new TextEncoder().encode(new TextDecoder().decode(bytes).replace('"7000000"', '"9000000"')));
    }`);
    expect(await refusedApproval()).toEqual({ status: 401, code: 'ASSERTION_INVALID' });
    expect(await isWaiting(asked)).toBe(true);
  });

  /** Presses the button, and returns the refusal of the service, which the page must tell without a logout. */
  async function refusedApproval(): Promise<{ status: number; code: string | undefined }> {
    const [answer] = await Promise.all([
      page.waitForResponse((response) => response.url().endsWith('/approve')),
      page.getByRole('button', { name: APPROVE }).click(),
    ]);
    await page.getByRole('alert').filter({ hasText: 'That did not work' }).waitFor();
    const { data } = (await answer.json()) as { data: { code?: string } };
    return { status: answer.status(), code: data.code };
  }

  it('shows markup of an agent as the text that it is', async () => {
    const asked = await world.ask({ memo: MARKUP });
    await page.goto(`/approvals/${asked.approvalId}`);
    await expectQuoted(MARKUP);
    expect(await page.evaluate('globalThis.hacked')).toBeUndefined();
    expect(await page.locator('.signed img, .signed script, .signed b').count()).toBe(0);
  });

  it('shows hidden and bidirectional characters of an agent by their codes', async () => {
    const asked = await world.ask({ memo: `invoice${HIDDEN}` });
    await page.goto(`/approvals/${asked.approvalId}`);
    await expectQuoted('invoice⟦U+202E⟧gnp.exe⟦U+2067⟧⟦U+200B⟧⟦U+E0041⟧');
  });

  it('cuts a memo of 10 kB, shows it whole when it is asked to, and never leaves the screen', async () => {
    const asked = await world.ask();
    const memo = `${MARKUP}${'W'.repeat(10_000)}`.slice(0, 10_000);
    await page.setViewportSize(PHONE);
    await show(asked, withTerms({ memo }));
    await expectQuoted(memo.slice(0, 256));
    await page.getByText('Cut here. 9744 more characters.').waitFor();
    expect(await world.browser.overflow()).toBe(0);
    await page.getByRole('button', { name: 'Show the whole text' }).click();
    await expectQuoted(memo);
    expect(await world.browser.overflow()).toBe(0);
    expect(await page.getByRole('button', { name: APPROVE }).isEnabled()).toBe(true);
  });

  async function expectQuoted(text: string): Promise<void> {
    const quoted = page.locator('.signed dt:text-is("Memo") + dd .quoted bdi');
    await quoted.waitFor();
    expect(await quoted.textContent()).toBe(text);
  }

  it('keeps fewer than 100 of 10,000 rows of history in the document', async () => {
    const headers = {
      'access-control-allow-origin': world.browser.consoleUrl,
      'access-control-allow-credentials': 'true',
    };
    await page.route(`${world.apiUrl}/owner/agents/${agentId}/history*`, async (route) => {
      const { searchParams } = new URL(route.request().url());
      await route.fulfill({ headers, json: historyFrom(Number(searchParams.get('cursor') ?? '0')) });
    });
    await page.goto(`/agents/${agentId}/activity`);
    const rows = page.locator('.history li');
    await rows.first().waitFor();
    // A search reads all of it.
    await page.getByLabel('Search').fill('confirmed');
    const seen: number[] = [];
    const scroll = `{ const frame = document.querySelector('.history'); frame.scrollTop = frame.scrollHeight; }`;
    await eventually(async () => {
      await page.evaluate(scroll);
      seen.push(await rows.count());
      return (await page.getByText('10000 entries').count()) === 1;
    }, 45_000);
    for (const part of [0.25, 0.5, 0.75, 1]) {
      const at = Math.floor(HISTORY_ROWS * part);
      await page.evaluate(`document.querySelector('.history').scrollTop = ${at} * 64`);
      const near = page.locator(`.history li[aria-posinset="${part === 1 ? HISTORY_ROWS : at}"]`);
      await near.waitFor();
      seen.push(await rows.count());
    }
    expect(Math.max(...seen)).toBeLessThan(100);
    expect(Math.min(...seen.slice(-4))).toBeGreaterThan(5);
  });

  it('offers a decision only once nothing above its buttons will move them', async () => {
    const { approvalId } = await world.ask({ amount: 60 });
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    await page.route(`${world.apiUrl}/owner/agents/${agentId}/usage`, async (route) => {
      await held;
      await route.continue();
    });
    await page.goto(`/approvals/${approvalId}`);
    await page.locator('.signed').waitFor();
    const reject = page.getByRole('button', { name: 'Reject' });
    expect(await reject.count()).toBe(0);
    release();
    await reject.waitFor();
    expect(await page.getByText('Good to know').count()).toBe(1);
  });

  it('says calmly that prediction markets are off, also where the limits that it has read say that they are on', async () => {
    await page.route(`${world.apiUrl}/owner/agents/${agentId}`, async (route) => {
      const response = await route.fetch();
      const body = (await response.text()).replace('"allowPredictionMarkets":false', '"allowPredictionMarkets":true');
      await route.fulfill({ response, body });
    });
    const refusal = page.waitForResponse((response) => response.url().endsWith('/predictions/positions'));
    await page.goto(`/agents/${agentId}/positions`);
    expect((await refusal).status()).toBe(403);
    await page.getByText('Prediction markets are switched off for this agent.').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  it('asks the console and the API alone, and has met no policy of the page', () => {
    const { browser, apiUrl } = world;
    expect([...browser.origins].sort()).toEqual([browser.consoleUrl, apiUrl].sort());
    // What this file provokes: signatures and reads that are refused.
    const provoked = / 401 .*\/approve\)$| 403 .*\/predictions\/\w+\)$/;
    expect(browser.complaints.filter((each) => !provoked.test(each))).toEqual([]);
  });
});

/** Writes JSON as the service does (RFC 8785). */
function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  const sorted = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${sorted.map(([name, each]) => `${JSON.stringify(name)}:${canonical(each)}`).join(',')}}`;
}

/** Makes a page of an invented history. */
function historyFrom(offset: number): object {
  const transactions = Array.from({ length: 100 }, (_, index) => ({
    id: `row-${offset + index}`,
    action: 'transfer',
    asset: 'USDC',
    mint: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
    amount: offset + index + 1,
    amountRaw: String((offset + index + 1) * 1_000_000),
    to: '8dPBF31QQuQKRZYMvnAmdVmF5NmKdLQ1aguQWrU1xRHc',
    signature: null,
    status: 'confirmed',
    metadata: {},
    createdAt: '2026-05-01T10:00:00.000Z',
    updatedAt: '2026-05-01T10:00:00.000Z',
  }));
  const next = offset + transactions.length;
  const data = { transactions, nextCursor: next < HISTORY_ROWS ? String(next) : null };
  return { status: true, statusCode: 200, message: 'ok', data };
}
