import { constants, generateKeyPairSync, sign } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { temporaryDir, World } from './world.js';

/** What JSON may hold: tests look at what they expect in it. */
export type Json = ReturnType<typeof JSON.parse>;

/** An answer of the exchange. */
export interface ExchangeReply {
  readonly status: number;
  readonly body: Json;
}

const KEY_ID = '6b1f0f0e-6a64-4a6e-9f40-2f3a3a5fd9a1';

/** A sandbox whose exchange knows a key, and its holder. */
export class ExchangeClient {
  private constructor(
    public world: World,
    private readonly env: Record<string, string>,
    readonly privateKeyPem: string,
    private readonly cleanUp: () => void,
  ) {}

  static async start(env: Record<string, string> = {}): Promise<ExchangeClient> {
    const { dir, remove } = temporaryDir();
    const { publicKey, privateKey } = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    });
    const file = path.join(dir, 'exchange.pem');
    writeFileSync(file, publicKey);
    const key = { SANDBOX_EXCHANGE_KEY_ID: KEY_ID, SANDBOX_EXCHANGE_PUBLIC_KEY_PATH: file };
    const all = { ...key, SANDBOX_EXCHANGE_TIER: 'prime', ...env };
    return new ExchangeClient(await World.start(all), all, privateKey, remove);
  }

  async stop(): Promise<void> {
    await this.world.stop();
    this.cleanUp();
  }

  /** Ends the sandbox and starts it again on the same data, which has to be kept elsewhere: SANDBOX_DATA_DIR. */
  async restart(): Promise<void> {
    await this.world.stop();
    this.world = await World.start(this.env);
  }

  get keyId(): string {
    return KEY_ID;
  }

  get url(): string {
    return this.world.sandbox.exchangeUrl;
  }

  /** The headers of a request signed now. */
  headers(method: string, pathname: string): Record<string, string> {
    const timestamp = String(Date.now());
    const key = {
      key: this.privateKeyPem,
      padding: constants.RSA_PKCS1_PSS_PADDING,
      saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
    };
    const signature = sign('sha256', Buffer.from(timestamp + method + pathname), key).toString('base64');
    return {
      'KALSHI-ACCESS-KEY': this.keyId,
      'KALSHI-ACCESS-TIMESTAMP': timestamp,
      'KALSHI-ACCESS-SIGNATURE': signature,
    };
  }

  /** A signed call. */
  async call(method: string, route: string, body?: unknown): Promise<ExchangeReply> {
    const { pathname } = new URL(this.url + route);
    const headers = { ...this.headers(method, pathname), 'content-type': 'application/json' };
    const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
    const response = await fetch(this.url + route, init);
    const text = await response.text();
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
  }

  get(route: string): Promise<ExchangeReply> {
    return this.call('GET', route);
  }

  /** Every item of a list, page by page. */
  async pages(route: string, name: string): Promise<Json[]> {
    const items: Json[] = [];
    let cursor = '';
    do {
      const glue = route.includes('?') ? '&' : '?';
      const { body } = await this.get(`${route}${cursor && `${glue}cursor=${encodeURIComponent(cursor)}`}`);
      items.push(...body[name]);
      cursor = body.cursor;
    } while (cursor);
    return items;
  }

  /** Adds a market with quotes of its own. */
  async market(ticker: string, more: Record<string, unknown> = {}): Promise<void> {
    const order = { ticker, title: `Will ${ticker} happen?`, yesBid: 40, yesAsk: 42, size: 100, ...more };
    const { status, body } = await this.world.admin('POST', '/markets', order);
    if (status !== 200) throw new Error(JSON.stringify(body));
  }
}
