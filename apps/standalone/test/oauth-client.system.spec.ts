import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  Client,
  type OAuthClientProvider,
  type StoredOAuthTokens,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { grant, type Person, personOf } from './harness/connecting.js';
import { type Deployment, OAUTH_CLIENTS, shareDeployment } from './harness/deployment.js';

// The official client connects by itself: it discovers, registers nothing, asks, redeems and refreshes.

const CALLBACK = 'http://127.0.0.1/callback';
const CLIENT = OAUTH_CLIENTS.host;

let deployment: Deployment;

beforeAll(async () => {
  deployment = await shareDeployment();
});

/** A host's memory; its browser goes only as far as the console. */
class Host implements OAuthClientProvider {
  readonly redirectUrl = CALLBACK;
  readonly clientMetadata = { client_name: 'A host', redirect_uris: [CALLBACK] };
  kept: StoredOAuthTokens | undefined;
  #verifier = '';
  /** Address that the person was sent to. */
  asked: URL | undefined;

  clientInformation = () => ({ client_id: CLIENT.client_id });
  tokens = () => this.kept;
  saveTokens = (tokens: StoredOAuthTokens) => void (this.kept = tokens);
  redirectToAuthorization = (url: URL) => void (this.asked = url);
  saveCodeVerifier = (verifier: string) => void (this.#verifier = verifier);
  codeVerifier = () => this.#verifier;
}

const transportOf = (host: Host) =>
  new StreamableHTTPClientTransport(new URL(`${deployment.url()}/mcp`), { authProvider: host });

const newClient = () =>
  new Client({ name: 'a host', version: '1.0.0' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } });

/** Has the owner grant what a host asks for, and returns the parameters that its callback gets. */
async function consent(who: Person, host: Host, terms: object): Promise<URLSearchParams> {
  const page = await fetch(host.asked!, { redirect: 'manual' });
  return new URL(await grant(who, page, terms)).searchParams;
}

describe('the official client', () => {
  it('connects with the limits of the owner, refreshes, and asks for more when a scope is missing', async () => {
    const who = await personOf(deployment);
    const host = new Host();
    const first = transportOf(host);
    await expect(newClient().connect(first)).rejects.toThrow();
    expect(host.asked?.searchParams.get('resource')).toBe(`${deployment.url()}/mcp`);
    await first.finishAuth(await consent(who, host, { scopes: ['read'] }));

    const client = newClient();
    await client.connect(transportOf(host));
    const { structuredContent } = await client.callTool({ name: 'get_wallet', arguments: {} });
    expect(structuredContent).toMatchObject({ agentId: who.agentId });

    // Its access token is over: the next request brings another one.
    const before = host.kept!;
    host.kept = { ...before, access_token: `${before.access_token.slice(0, -4)}AAAA` };
    await client.callTool({ name: 'get_wallet', arguments: {} });
    expect(host.kept.refresh_token).not.toBe(before.refresh_token);

    host.asked = undefined;
    const order = { to: who.agent.address, amount: '1', mint: 'USDC' };
    await expect(client.callTool({ name: 'prepare_transfer', arguments: order })).rejects.toThrow();
    expect((host.asked as URL | undefined)?.searchParams.get('scope')).toBe('read transfer');
    await client.close();
  });
});
