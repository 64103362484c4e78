import { constants, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { ExchangeServer } from '../src/exchange/access/exchange-server.js';
import { accountRoutes } from '../src/exchange/portfolio/account-routes.js';
import { createExchangeServer } from '../src/exchange/rest/exchange-server.js';
import { FaultBoard, type FaultMatch } from '../src/faults/fault-board.js';
import { close, listen } from '../src/http/listen.js';
import type { TestMatchingEngine } from './test-matching-engine.js';

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });

export const MEMBER = {
  id: '0b7e0c5c-4f0e-4b52-9d5f-6a2f0c3b1a11',
  publicKeyPem: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
  privateKey,
};

/** Headers of a request as the exchange wants it signed; `path` with the prefix and without the query. */
export function signed(
  method: string,
  path: string,
  timestampMs: number,
  { id, privateKey: key }: { id: string; privateKey: KeyObject } = MEMBER,
): Record<string, string> {
  const padding = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 };
  const signature = sign('sha256', Buffer.from(`${timestampMs}${method}${path}`), { key, ...padding });
  return {
    'kalshi-access-key': id,
    'kalshi-access-timestamp': String(timestampMs),
    'kalshi-access-signature': signature.toString('base64'),
  };
}

export interface Reply {
  readonly status: number;
  readonly body: Record<string, unknown>;
  readonly headers: Headers;
}

/** The exchange's account by its REST API, on a floor of a test. */
export class Member {
  /** The door's clock: rate buckets and signatures. */
  doorMs = 1_800_000_000_000;
  readonly faults: FaultBoard;
  readonly door: ExchangeServer;
  private readonly server;
  private orders = 0;

  private constructor(readonly floor: TestMatchingEngine) {
    const { exchange, journal } = floor;
    this.faults = new FaultBoard(journal);
    this.door = new ExchangeServer({ faults: this.faults, clock: { nowMs: () => this.doorMs }, key: MEMBER });
    const routes = accountRoutes({ exchange, faults: this.faults, journal, tier: this.door.tier });
    this.server = createExchangeServer({ routes, admit: (head) => this.door.admit(head) });
  }

  static async open(floor: TestMatchingEngine): Promise<Member> {
    const member = new Member(floor);
    await listen(member.server, { host: '127.0.0.1', port: 0, variable: 'PORT' });
    return member;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await close(this.server);
    this.floor.close();
  }

  /** A request with these headers; without any, signed. Refills the buckets first, by default. */
  async ask(method: string, route: string, body?: unknown, headers?: Record<string, string>): Promise<Reply> {
    this.doorMs += 1_000;
    return this.askAgain(method, route, body, headers);
  }

  /** The same at the same instant. */
  async askAgain(method: string, route: string, body?: unknown, headers?: Record<string, string>): Promise<Reply> {
    const { port } = this.server.address() as AddressInfo;
    const path = `/trade-api/v2${route}`;
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: headers ?? signed(method, path.split('?')[0]!, this.doorMs),
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const read = (text === '' ? undefined : JSON.parse(text)) as Record<string, unknown>;
    return { status: response.status, body: read, headers: response.headers };
  }

  /** The body of an order for one contract at $0.43, as changed. */
  body(more: Record<string, unknown> = {}): Record<string, unknown> {
    this.orders += 1;
    return {
      ticker: 'M',
      side: 'bid',
      count: '1',
      price: '0.4300',
      time_in_force: 'immediate_or_cancel',
      self_trade_prevention_type: 'taker_at_cross',
      client_order_id: `order-${this.orders}`,
      ...more,
    };
  }

  place(more: Record<string, unknown> = {}): Promise<Reply> {
    return this.ask('POST', '/portfolio/events/orders', this.body(more));
  }

  get(route: string): Promise<Reply> {
    return this.ask('GET', route);
  }

  arm(fault: string, match: FaultMatch = {}, more: { times?: number; delayMs?: number } = {}): void {
    this.faults.arm({ part: 'exchange', fault, match, times: 1, delayMs: 5_000, ...more });
  }
}
