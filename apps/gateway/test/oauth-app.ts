import { policyV1 } from '@agent-wallet/contracts';
import { newId, TOKEN_SCOPES, type TokenScope } from '@agent-wallet/kernel';
import { createHash } from 'node:crypto';
import type { OAuthClient } from '../src/ports/client-documents.js';
import type { Client, Reply } from './client.js';
import { approval, ASSERTION, Browser, FakeOwners, ORIGIN } from './owner-console.js';
import { GENEROUS } from './wallet-script.js';
import { World } from './world.js';

const HOUR_MS = 3_600_000;

export const CALLBACK = 'http://127.0.0.1/callback';
const VERIFIER = 'v'.repeat(43);
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');

/** Parameters of a request; undefined leaves one out. */
type Given = Readonly<Record<string, string | undefined>>;

/** Returns a registered client with these redirect URIs. */
export function clientWith(id: string, ...redirectUris: string[]): OAuthClient {
  return { id, name: `The client ${id}`, uri: undefined, redirectUris, isRegistered: true };
}

/** A gateway whose agents an owner lets apps connect to, and the requests that an app sends. */
export class OAuthApp {
  private constructor(
    readonly world: World,
    readonly browser: Browser,
    private readonly owners: FakeOwners,
    private readonly parties: { readonly ownerId: string; readonly agentId: string },
  ) {}

  static async open(...registeredClients: OAuthClient[]): Promise<OAuthApp> {
    const clients = [clientWith('an-app', CALLBACK), ...registeredClients];
    const world = await World.open({
      ...{ rateLimits: GENEROUS, ownerOrigin: ORIGIN, hasOwnerConsole: true, registeredClients: clients },
    });
    const { agentId } = await world.login();
    const owners = new FakeOwners(world);
    const browser = new Browser(world.client);
    const ownerId = await browser.openWithPasskey(world, 'app-owner@example.com');
    return new OAuthApp(world, browser, owners, { ownerId, agentId });
  }

  get client(): Client {
    return this.world.client;
  }

  authorize(change: Given = {}, client = this.client): Promise<Reply> {
    const given = {
      ...{ response_type: 'code', client_id: 'an-app', redirect_uri: CALLBACK, scope: 'read transfer' },
      ...{ code_challenge: CHALLENGE, code_challenge_method: 'S256' },
      ...change,
    };
    return client.get(`/oauth/authorize?${encode(given)}`);
  }

  /** Sends the browser to the console, and returns the id of the connection that its page shows. */
  async request(change: Given = {}): Promise<string> {
    const { status, headers, text } = await this.authorize(change);
    const { location } = headers as { readonly location?: string };
    if (status !== 302 || !location?.startsWith(`${ORIGIN}/connect/`))
      throw new Error(`no consent: ${location ?? text}`);
    this.browser.keepConnection(headers);
    return location.split('/').at(-1)!;
  }

  /** Grants scopes to the app of a connection, and returns the address that the browser goes to. */
  async grant(connectionId: string, scopes: readonly TokenScope[] = TOKEN_SCOPES): Promise<string> {
    const tokenId = newId();
    const expiresAtMs = BigInt(this.world.clock.nowMs() + 10_000 * HOUR_MS);
    const grant = { name: 'An app', scopes: [...scopes], expiresAtMs };
    this.world.script.tokens.listTokens = async () => ({
      tokens: [{ tokenId, grant, createdAtMs: 0n, usedTodayUsdMicros: 0n, usedUsdMicros: 0n }],
    });
    const kind = policyV1.ApprovalKind.APPROVAL_KIND_TOKEN;
    const asked = approval({ approvalId: tokenId, ...this.parties, kind });
    this.owners.approvals.set(tokenId, asked);
    const body = { assertion: ASSERTION, connectionId };
    const reply = await this.browser.post(`/owner/approvals/${tokenId}/approve`, body);
    if (reply.status !== 200) throw new Error(`not granted: ${reply.text}`);
    return reply.body.data.redirectTo as string;
  }

  /** Returns a code that an owner has granted. */
  async code(change: Given = {}, scopes?: readonly TokenScope[]): Promise<string> {
    const back = await this.grant(await this.request(change), scopes);
    return new URL(back).searchParams.get('code')!;
  }

  redeem(code: string, change: Given = {}): Promise<Reply> {
    const given = { code, code_verifier: VERIFIER, client_id: 'an-app', redirect_uri: CALLBACK, ...change };
    return this.post('/oauth/token', { grant_type: 'authorization_code', ...given });
  }

  /** Connects an app, and returns its tokens. */
  async connect(change: Given = {}, scopes?: readonly TokenScope[]) {
    const { body } = await this.redeem(await this.code(change, scopes));
    return body as { readonly access_token: string; readonly refresh_token: string; readonly scope: string };
  }

  refresh(token: string, change: Given = {}): Promise<Reply> {
    return this.post('/oauth/token', {
      ...{ grant_type: 'refresh_token', refresh_token: token, client_id: 'an-app' },
      ...change,
    });
  }

  post(path: string, given: Given): Promise<Reply> {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    return this.client.call('POST', path, { raw: encode(given), headers });
  }
}

function encode(given: Given): string {
  const pairs = Object.entries(given).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return pairs.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
}
