import { needsBrowser, openBrowser, where } from '@agent-wallet/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { runInNewContext } from 'node:vm';
import type { Browser, Page } from 'playwright-core';
import { agentRoutes, ROUTES } from '../src/api/routes.js';
import { ADDRESS, SIGNATURE } from './default-script.js';
import { GENEROUS } from './wallet-script.js';
import { World } from './world.js';

/** For a page of megabytes on a busy machine. */
const WITHIN_MS = 60_000;

let world: World;
beforeAll(async () => {
  // What the service is called in public is not where the browser of this test finds it.
  world = await World.open({ rateLimits: GENEROUS, publicUrl: 'https://wallet.example.com' });
});
afterAll(() => world.close());

describe('GET /docs', () => {
  it('runs and shows exactly what is in it and in its script, and connects to its own host only', async () => {
    const { status, headers, text } = await world.client.get('/docs');
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    const policy = String(headers['content-security-policy']);
    const sourceOf = (content: string) => `'sha256-${createHash('sha256').update(content).digest('base64')}'`;
    const sources = (element: string) =>
      [...text.matchAll(new RegExp(`<${element}>(.*?)</${element}>`, 'gs'))].map(([, content]) => sourceOf(content!));
    const [loaded, ...others] = [...text.matchAll(/<script src="([^"]+)" integrity="([^"]+)"><\/script>/g)];
    expect(others).toEqual([]);
    const library = sourceOf((await world.client.get(`/${loaded![1]}`)).text);
    expect(`'${loaded![2]}'`).toBe(library);
    expect([sources('script').length, sources('style').length]).toEqual([1, 1]);
    expect(policy.split(';')).toEqual([
      "default-src 'none'",
      `script-src ${library} ${sources('script')[0]}`,
      `style-src ${sources('style')[0]}`,
      'img-src data:',
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ]);
    expect(policy).not.toContain('unsafe');
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'x-frame-options': 'SAMEORIGIN' });
    expect(text).not.toMatch(/(?:src|href)="?(?:https?:)?\/\//);
  });

  it('preselects the dry run of every route that has one', async () => {
    const { text } = await world.client.get('/docs');
    const script = /<script>([^<]*openapi\.json.*?)<\/script>/s.exec(text)![1]!;
    const spec = (await world.client.get('/openapi.json')).body;
    const shown: Array<{ spec: typeof spec }> = [];
    const done = new Promise<void>((resolve) => {
      const SwaggerUIBundle = (options: { spec: typeof spec }) => resolve(void shown.push(options));
      const location = { href: 'https://wallet.example.com/docs' };
      const document = { getElementById: () => ({}) };
      const fetched = async () => ({ ok: true, json: async () => spec });
      runInNewContext(script, { SwaggerUIBundle, location, document, fetch: fetched, URL });
    });
    await done;
    const { paths, components } = shown[0]!.spec;
    const operations = Object.values(paths).flatMap((path) => Object.entries(path as object));
    const resolve = ({ $ref, ...parameter }: { readonly $ref?: string }) =>
      $ref === undefined ? parameter : components.parameters[$ref.split('/').at(-1)!];
    const dryRuns = operations.flatMap(([method, { parameters = [] }]) =>
      parameters
        .map(resolve)
        .filter(({ name }: { name: string }) => name === 'dryRun')
        .map((parameter: object) => [method, parameter]),
    );
    expect(dryRuns.length).toBeGreaterThan(4);
    for (const [method, parameter] of dryRuns) {
      expect([method, String(parameter.example)]).toEqual(['post', 'true']);
    }
  });
});

where(describe, needsBrowser())('/docs in a browser', () => {
  let browser: Browser;
  let page: Page;
  /** Errors, warnings and breaches of the content security policy. */
  const complaints: string[] = [];
  const requested: string[] = [];
  beforeAll(async () => {
    browser = await openBrowser();
    page = await browser.newPage();
    page.setDefaultTimeout(WITHIN_MS);
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(`${message.type()}: ${message.text()}`);
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('request', (request) => requested.push(request.url()));
  });
  afterAll(() => browser?.close());

  const shows = (selector: string, text: string | RegExp) =>
    page.locator(selector, { hasText: text }).first().waitFor({ timeout: WITHIN_MS });

  /** Shows an operation. What is tried before the page has put its parts together is never answered. */
  const unfold = async (id: string) => {
    await page.click(`#operations-${id} .opblock-summary-control`);
    await shows(`#operations-${id} .responses-table tr:last-child .highlight-code`, 'requestId');
  };

  const statusOf = (id: string) => `#operations-${id} .live-responses-table tbody .response-col_status`;

  it('shows every route without a complaint, and requests nothing from other hosts', async () => {
    await page.goto(`${world.client.url}/docs`);
    await page.click('.opblock >> nth=0');
    expect(await page.locator('.opblock').count()).toBe(agentRoutes(ROUTES).length);
    await shows('.info .title', 'Agent Wallet');
    expect(complaints).toEqual([]);
    const asked = requested.filter((url) => !url.startsWith('data:'));
    const [, script] = /src="(docs\/[^"]+)"/.exec((await world.client.get('/docs')).text)!;
    expect(asked).toEqual(['/docs', `/${script}`, '/openapi.json'].map((path) => world.client.url + path));
  });

  it('tries a read and a transfer with a token that is pasted, the transfer as a dry run at first', async () => {
    const { token } = await world.login();
    await page.goto(`${world.client.url}/docs`);
    await page.click('.auth-wrapper .btn.authorize');
    await page.fill('.modal-ux input', token);
    await page.click('.modal-ux .auth-btn-wrapper .btn.authorize');
    await page.click('.modal-ux .auth-btn-wrapper .btn-done');

    await unfold('Wallet-getBalances');
    await page.click('#operations-Wallet-getBalances .btn.execute');
    await shows(statusOf('Wallet-getBalances'), /^200/);
    await shows('#operations-Wallet-getBalances .live-responses-table .highlight-code', ADDRESS);

    await unfold('Wallet-transfer');
    const response = '#operations-Wallet-transfer .live-responses-table .highlight-code';
    await page.click('#operations-Wallet-transfer .btn.execute');
    await shows(statusOf('Wallet-transfer'), /^200/);
    await shows(response, '"dry_run"');

    await page.selectOption('#operations-Wallet-transfer tr[data-param-name="dryRun"] select', 'false');
    await page.click('#operations-Wallet-transfer .btn.execute');
    await shows(response, SIGNATURE);
    expect(complaints).toEqual([]);
  });

  it('says so when the description cannot be loaded', async () => {
    const spent = await world.start({ rateLimits: { ...GENEROUS, clientPerMinute: 1 } });
    await world.reset();
    await page.goto(`${spent.url}/docs`);
    await shows(
      '#docs',
      /^\s*The description of this API could not be loaded: More than 1 requests per minute from this network\. Wait \d+ s\.\s*$/,
    );
  });
});
