import { needsBrowser, where } from '@agent-wallet/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ConsoleWorld } from './harness/console-world.js';

const CLIENT = { client_id: 'a-host', client_name: 'A host', redirect_uris: ['http://127.0.0.1/callback'] };
const STATE = 'a state';

/** An app that connects: it listens on this machine, as the apps of a desktop do. */
class App {
  readonly #verifier = randomBytes(32).toString('base64url');

  private constructor(
    private readonly server: Server,
    private readonly issuer: string,
    /** Base of the API for browsers. */
    private readonly browserBase: string,
  ) {}

  static async open({ agent, apiUrl }: ConsoleWorld): Promise<App> {
    const server = createServer((_, response) => response.end('The app goes on.'));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return new App(server, agent.baseUrl, apiUrl);
  }

  get callback(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/callback`;
  }

  /** Returns the address to which the app sends its owner's browser. */
  authorizeUrl(scope = 'read transfer propose'): string {
    const code_challenge = createHash('sha256').update(this.#verifier).digest('base64url');
    const parameters = new URLSearchParams({
      ...{ response_type: 'code', client_id: CLIENT.client_id, redirect_uri: this.callback, state: STATE, scope },
      ...{ code_challenge, code_challenge_method: 'S256' },
    });
    return `${this.browserBase}/oauth/authorize?${parameters.toString()}`;
  }

  /** Redeems a code, and returns the access token with its scope. */
  async redeem(code: string): Promise<{ readonly access_token: string; readonly scope: string }> {
    const body = new URLSearchParams({
      ...{ grant_type: 'authorization_code', code, code_verifier: this.#verifier, redirect_uri: this.callback },
      client_id: CLIENT.client_id,
    });
    const response = await fetch(`${this.issuer}/oauth/token`, { method: 'POST', body });
    return (await response.json()) as { access_token: string; scope: string };
  }

  /** Reads the balances at the MCP endpoint. Returns the status and the text of the response. */
  async readBalances(token: string): Promise<[status: number, text: string]> {
    const response = await fetch(`${this.issuer}/mcp`, {
      method: 'POST',
      headers: {
        ...{ authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({
        ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
        params: { name: 'get_balances', arguments: {} },
      }),
    });
    return [response.status, await response.text()];
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}

// The steps go on from where the last one ended.
where(describe, needsBrowser())('an owner who connects an app at the console', () => {
  let world: ConsoleWorld;
  let app: App;
  const look = (name: string) => world.browser.audit(name);
  const button = (name: string) => world.page.getByRole('button', { name, exact: true });
  const title = () => world.page.getByRole('heading', { name: 'Connect an app' }).waitFor();

  /** Waits until the browser is at the app, and returns the parameters with which it arrived. */
  const arrival = async () => {
    await world.page.waitForURL((url) => url.href.startsWith(app.callback));
    return Object.fromEntries(new URL(world.page.url()).searchParams);
  };

  /** Returns the states of the approvals of tokens, as the page reads them. */
  const tokenApprovals = () =>
    world.page.evaluate<string[]>(`fetch('${world.apiUrl}/owner/approvals', { credentials: 'include' })
      .then((response) => response.json())
      .then(({ data }) => data.approvals.filter(({ kind }) => kind === 'token').map(({ state }) => state).sort())`);

  beforeAll(async () => {
    world = await ConsoleWorld.open({ OAUTH_CLIENTS: JSON.stringify([CLIENT]) });
    app = await App.open(world);
    await world.makeAccount();
  });
  afterAll(async () => {
    await app?.close();
    await world?.close();
  });

  it('without an agent learns how to claim one, and can reject the app', async () => {
    const { page } = world;
    await page.getByRole('heading', { name: 'Claim your agent' }).waitFor();
    await page.goto(app.authorizeUrl());
    await page.getByText('You have no agent yet').waitFor();
    await look('connect-no-agent');
    expect(await page.getByRole('link', { name: 'Add an agent' }).getAttribute('href')).toBe('/welcome');
    await button('Reject').click();
    expect(await arrival()).toMatchObject({ error: 'access_denied', state: STATE });
  });

  it('comes back to the app’s request after the login', async () => {
    const { page } = world;
    await page.goto(`${world.browser.consoleUrl}/welcome`);
    await world.claim();
    await button('Log out').click();
    await button('Log in with passkey').waitFor();
    await page.goto(app.authorizeUrl());
    await page.getByRole('heading', { name: 'Log in to connect an app' }).waitFor();
    await button('Log in with passkey').click();
    await title();
    expect(page.url()).toMatch(new RegExp(`^${world.browser.consoleUrl}/connect/[\\w-]{36}$`));
  });

  it('sees who gets the token, and a warning about the own computer', async () => {
    const { page } = world;
    await page.getByLabel('Agent').waitFor();
    const facts = await page.locator('main').innerText();
    expect(facts).toContain('“A host”');
    expect(facts).toContain('We have not verified it.');
    expect(facts).toContain('Registered by the operator');
    expect(facts).toContain(app.callback);
    expect(facts).not.toContain('Only this address gets the token');
    expect(facts).toContain('any program here can pose as the app');
    await look('connect');
  });

  it('finds the only agent, reading and limits chosen, and must choose something', async () => {
    const { page } = world;
    expect(await page.getByLabel('Agent').locator('option:checked').innerText()).toBe(world.agent.email);
    const chosen = (name: string) => page.getByRole('checkbox', { name }).isChecked();
    expect(await Promise.all(['Read', 'Pay', 'Ask you to change the policy'].map(chosen))).toEqual([
      ...[true, false, false],
    ]);
    expect(await page.getByRole('checkbox').count()).toBe(3);
    const value = (label: string) => page.getByLabel(label).inputValue();
    const labels = ['Most for one transaction', 'Most in 24 hours', 'Most in total', 'The token ends after'];
    expect(await Promise.all(labels.map(value))).toEqual(['10', '50', '200', '30']);
    await page.getByRole('checkbox', { name: 'Read' }).uncheck();
    await page.getByLabel('Most in total').fill('-5');
    await button('Review and sign').click();
    await page.getByText('Choose at least one thing').waitFor();
    await page.getByText('Enter an amount above 0').waitFor();
    await look('connect-problems');
  });

  it('changes the terms after the review, and no approval of the first ones stays open', async () => {
    const { page } = world;
    await page.getByRole('checkbox', { name: 'Read' }).check();
    await page.getByLabel('Most in total').fill('7');
    await button('Review and sign').click();
    await page.getByText('$7.00 in total').waitFor();
    await button('Change what the app gets').click();
    await page.getByLabel('Most in total').fill('5');
    await page.getByRole('checkbox', { name: 'Pay' }).check();
    await page.getByLabel('Most in 24 hours').fill('');
    await page.getByText('Empty: no limit of its own.').waitFor();
    await button('Review and sign').click();
    await page.getByRole('heading', { name: 'Open a token for an app' }).waitFor();
    expect(await tokenApprovals()).toEqual(['pending', 'rejected']);
  });

  it('signs the terms, and the app gets a code whose token has these limits', async () => {
    const { page } = world;
    const terms = await page.locator('.signed').innerText();
    expect(terms).toContain('read, pay');
    expect(terms).toContain('$10.00 at a time, $5.00 in total');
    await look('connect-review');
    await button('Approve with passkey').click();
    const { code, ...rest } = await arrival();
    expect(rest).toEqual({ state: STATE, iss: world.agent.baseUrl });
    const { access_token: token, scope } = await app.redeem(code!);
    expect(scope).toBe('read transfer');
    const [status, text] = await app.readBalances(token);
    expect([status, text]).toEqual([200, expect.stringContaining('USDC')]);
    expect((await world.agent.tokens()).body.data.tokens).toMatchObject([
      { name: 'A host', maxSingleInUsd: 10, dailyLimitInUsd: null, totalLimitInUsd: 5 },
    ]);
  });

  it('rejects an app, which arrives with that answer', async () => {
    const { page } = world;
    await page.goto(app.authorizeUrl());
    await title();
    const request = page.url();
    await button('Reject').click();
    expect(await arrival()).toMatchObject({ error: 'access_denied', state: STATE, iss: world.agent.baseUrl });
    await page.goto(request);
    await page.getByRole('heading', { name: 'This request is over' }).waitFor();
    await look('connect-over');
  });

  it('rejects the terms under review, and with them the app', async () => {
    const { page } = world;
    await page.goto(app.authorizeUrl('read'));
    await button('Review and sign').click();
    await button('Approve with passkey').waitFor();
    await button('Reject').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Reject' }).click();
    expect(await arrival()).toMatchObject({ error: 'access_denied' });
    expect((await world.agent.tokens()).body.data.tokens).toHaveLength(1);
  });

  it('cannot decide a request that another browser began', async () => {
    const { page } = world;
    const elsewhere = await fetch(app.authorizeUrl(), { redirect: 'manual' });
    await page.goto(elsewhere.headers.get('location')!);
    await page.getByRole('heading', { name: 'This request is over' }).waitFor();
    await page.getByText('start again from the app in this browser').waitFor();
  });

  it('stays on the page when the service names an address that runs code', async () => {
    const { page, browser } = world;
    await page.goto(app.authorizeUrl());
    await title();
    const request = page.url();
    await page.route('**/owner/connections/*/reject', async (route) => {
      const response = await route.fetch();
      const body = (await response.json()) as { readonly data: object };
      const data = { ...body.data, redirectTo: 'javascript:document.title="run"' };
      await route.fulfill({ response, json: { ...body, data } });
    });
    await button('Reject').click();
    await page.getByText('it is not safe').waitFor();
    expect([page.url(), await page.title()]).toEqual([request, expect.stringContaining('Connect an app')]);
    await browser.expectAccessible('connect-unsafe');
    await page.unrouteAll();
  });

  it('logs in by passkey after a login by mail, and comes back to sign', async () => {
    const { page, browser } = world;
    await browser.context.clearCookies();
    await world.logInByMail(async () => undefined);
    await page.getByText('You are logged in by mail.').waitFor();
    await page.goto(app.authorizeUrl());
    await title();
    const request = page.url();
    await button('Review and sign').click();
    await page.getByRole('alert').waitFor();
    await look('connect-by-mail');
    await page.getByRole('link', { name: 'Log in with passkey' }).click();
    await button('Log in with passkey').click();
    await title();
    expect(page.url()).toBe(request);
    await button('Review and sign').click();
    await button('Approve with passkey').click();
    expect(await arrival()).toMatchObject({ code: expect.stringMatching(/./), state: STATE });
  });

  it('has met no fault but what was refused, and no other origin', () => {
    const { browser, apiUrl } = world;
    // Reads before the login, the request that is over, and the token that a session by mail cannot request.
    const isRefusal = (text: string) => / 401 .*\/(agents|connections|tokens)\b| 404 .*\/connections\//.test(text);
    expect(browser.complaints.filter((text) => !isRefusal(text))).toEqual([]);
    const origins = [browser.consoleUrl, apiUrl, new URL(app.callback).origin];
    expect([...browser.origins].sort()).toEqual(origins.sort());
  });
});
