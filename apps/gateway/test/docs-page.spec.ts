import { eventually, where } from '@agent-wallet/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { runInNewContext } from 'node:vm';
import { agentRoutes, ROUTES } from '../src/api/routes.js';
import { BROWSER, BrowserPage, WITHIN_MS } from './browser.js';
import { ADDRESS, SIGNATURE } from './default-script.js';
import { GENEROUS } from './wallet-script.js';
import { World } from './world.js';

let world: World;
beforeAll(async () => {
  // What the service is called in public is not where the browser of this test finds it.
  world = await World.open({ rateLimits: GENEROUS, publicUrl: 'https://wallet.example.com' });
}, 60_000);
afterAll(() => world.close());

describe('GET /docs', () => {
  it('runs and shows exactly what is in it, and connects to its own host only', async () => {
    const { status, headers, text } = await world.client.get('/docs');
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    const policy = String(headers['content-security-policy']);
    const hashes = (element: string) =>
      [...text.matchAll(new RegExp(`<${element}>(.*?)</${element}>`, 'gs'))].map(
        ([, content]) => `'sha256-${createHash('sha256').update(content!).digest('base64')}'`,
      );
    expect(hashes('script')).toHaveLength(2);
    expect(policy.split(';')).toEqual([
      "default-src 'none'",
      `script-src ${hashes('script').join(' ')}`,
      `style-src ${hashes('style').join(' ')}`,
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

// npm does not bring a browser.
where(describe, { name: 'Chromium or Chrome on the PATH', isMet: BROWSER !== undefined })('/docs in a browser', () => {
  let page: BrowserPage;
  beforeAll(async () => {
    page = await BrowserPage.open();
  }, 60_000);
  afterAll(() => page?.close());

  /** Shows an operation. What is tried before the page has put its parts together is never answered. */
  const unfold = async (id: string) => {
    await page.click(`#operations-${id} .opblock-summary-control`);
    const error = `#operations-${id} .responses-table tr:last-child .highlight-code`;
    await eventually(
      () => page.textOf(error),
      (text) => text.includes('requestId'),
      WITHIN_MS,
    );
  };

  const statusOf = (id: string) => `#operations-${id} .live-responses-table tbody .response-col_status`;

  it('shows every route without a complaint, and requests nothing from other hosts', async () => {
    await page.goTo(`${world.client.url}/docs`);
    await page.click('.opblock');
    expect(await page.evaluate('document.querySelectorAll(".opblock").length')).toBe(agentRoutes(ROUTES).length);
    expect(await page.textOf('.info .title')).toContain('Agent Wallet');
    expect(page.seen.complaints).toEqual([]);
    const asked = page.seen.requested.filter((url) => !url.startsWith('data:'));
    expect(asked).toEqual(['/docs', '/openapi.json'].map((path) => world.client.url + path));
  });

  it('tries a read and a transfer with a token that is pasted, the transfer as a dry run at first', async () => {
    const { token } = await world.login();
    await page.goTo(`${world.client.url}/docs`);
    await page.click('.auth-wrapper .btn.authorize');
    await page.type('.modal-ux input', token);
    await page.click('.modal-ux .auth-btn-wrapper .btn.authorize');
    await page.click('.modal-ux .auth-btn-wrapper .btn-done');

    await unfold('Wallet-getBalances');
    await page.click('#operations-Wallet-getBalances .btn.execute');
    expect(await page.textOf(statusOf('Wallet-getBalances'))).toMatch(/^200/);
    const balances = await page.textOf('#operations-Wallet-getBalances .live-responses-table .highlight-code');
    expect(balances).toContain(ADDRESS);

    await unfold('Wallet-transfer');
    const response = '#operations-Wallet-transfer .live-responses-table .highlight-code';
    await page.click('#operations-Wallet-transfer .btn.execute');
    expect(await page.textOf(statusOf('Wallet-transfer'))).toMatch(/^200/);
    expect(await page.textOf(response)).toContain('"dry_run"');

    await page.choose('#operations-Wallet-transfer tr[data-param-name="dryRun"] select', 'false');
    await page.click('#operations-Wallet-transfer .btn.execute');
    await eventually(
      () => page.textOf(response),
      (text) => text.includes(SIGNATURE),
      WITHIN_MS,
    );
    expect(page.seen.complaints).toEqual([]);
  }, 180_000);

  it('says so when the description cannot be loaded', async () => {
    const spent = await world.start({ rateLimits: { ...GENEROUS, clientPerMinute: 1 } });
    await world.reset();
    await page.goTo(`${spent.url}/docs`);
    expect(await page.textOf('#docs')).toMatch(
      /^The description of this API could not be loaded: More than 1 requests per minute from this network\. Wait \d+ s\.$/,
    );
  });
});
