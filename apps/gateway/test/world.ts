import { Secret } from '@agent-wallet/kernel';
import { EVENT_LOG_MIGRATIONS, grantPublish, grantRead } from '@agent-wallet/events';
import type { Database, TlsPaths } from '@agent-wallet/platform';
import { openMigratedDatabase, openTestSchema } from '@agent-wallet/platform/testing';
import type { TestDatabase } from '@agent-wallet/testing';
import { eventually, testCertificates } from '@agent-wallet/testing';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {
  gatewayMigrations,
  type GatewayOverrides,
  type GatewaySettings,
  type RunningGateway,
  startGateway,
} from '../src/index.js';
import type { RateLimits } from '../src/domain/rate-limits.js';
import { Client } from './client.js';
import { defaultScript } from './default-script.js';
import { type FakeService, type Script, startFake } from './fakes.js';
import { type Inbox, startInbox } from './inbox.js';

/** A clock that tests move. */
export class TestClock {
  aheadMs = 0;
  #stoppedAtMs: number | undefined;

  nowMs(): number {
    return this.#stoppedAtMs ?? Date.now() + this.aheadMs;
  }

  /** Stands still at a time, for both sides of an edge. */
  stopAt(unixMs: number): void {
    this.#stoppedAtMs = unixMs;
  }

  /** Goes on, in step with the world. */
  reset(): void {
    this.#stoppedAtMs = undefined;
    this.aheadMs = 0;
  }
}

/** The limits of a deployment that sets none. */
export const RATE_LIMITS: RateLimits = {
  clientPerMinute: 100,
  agentPerMinute: 30,
  otpsPerTenMinutes: 3,
  otpAddressesPerHour: 20,
  otpsPerMailboxHour: 12,
  otpMailsPerMinute: 300,
  triesPerOtp: 5,
  wrongOtpsPerHour: 30,
  wrongOtpsPerMailboxDay: 100,
  ownerPerMinute: 60,
  passkeysPerTenMinutes: 30,
};

/** The gateway with everything around it: Postgres, mail, and the services behind, faked over real gRPC. */
export class World {
  readonly clock = new TestClock();
  readonly script: Script = defaultScript();
  readonly gateways: RunningGateway[] = [];
  #people = 0;
  /** Kills of services after which the gateway was seen to be ready. */
  #killsOvercome = 0;

  private constructor(
    readonly test: TestDatabase<'gateway' | 'events'>,
    private readonly stores: { readonly database: Database; readonly events: Database },
    readonly directory: string,
    readonly inbox: Inbox,
  ) {}

  #timing: GatewayOverrides['timing'];

  services!: Record<'wallet' | 'swap' | 'prediction' | 'policy' | 'history', FakeService>;
  /** A genuine certificate of each name. */
  certificates!: Readonly<
    Record<'gateway' | 'wallet' | 'swap' | 'prediction' | 'policy' | 'history' | 'ops', TlsPaths>
  >;
  settings!: GatewaySettings;
  client!: Client;

  /** The gateway's own schema. */
  get database(): Database {
    return this.stores.database;
  }

  /** The event stream. */
  get events(): Database {
    return this.stores.events;
  }

  static async open(change: Partial<GatewaySettings> = {}, timing: GatewayOverrides['timing'] = {}): Promise<World> {
    const test = await openMigratedDatabase([gatewayMigrations, EVENT_LOG_MIGRATIONS], {
      grants: (roles) => `${grantPublish(roles.gateway)} ${grantRead(roles.gateway)}`,
    });
    const stores = {
      database: openTestSchema(test.schemas.gateway, 'gateway'),
      events: openTestSchema(test.schemas.events, 'events'),
    };
    const directory = mkdtempSync(path.join(os.tmpdir(), 'gateway-test-'));
    const world = new World(test, stores, directory, await startInbox());
    world.#timing = timing;
    const certificates = await testCertificates([
      'gateway',
      'wallet',
      'swap',
      'prediction',
      'policy',
      'history',
      'ops',
    ]);
    world.certificates = certificates;
    const [wallet, swap, prediction, policy, history] = await Promise.all([
      startFake('wallet', world.script, certificates.wallet),
      startFake('swap', world.script, certificates.swap),
      startFake('prediction', world.script, certificates.prediction),
      startFake('policy', world.script, certificates.policy),
      startFake('history', world.script, certificates.history),
    ]);
    world.services = { wallet, swap, prediction, policy, history };
    const keysPath = path.join(directory, 'keys');
    mkdirSync(keysPath);
    writeTokenKey(keysPath, '2026-01');
    world.settings = {
      host: '127.0.0.1',
      port: 0,
      grpcAddress: '127.0.0.1:0',
      database: secret(test.schemas.gateway),
      tls: certificates.gateway,
      walletAddress: wallet.address,
      swapAddress: swap.address,
      predictionAddress: prediction.address,
      policyAddress: policy.address,
      historyAddress: history.address,
      smtpUrl: new Secret(world.inbox.url),
      mailFrom: 'wallet@example.com',
      jwt: { keysPath, signsAfterMs: 120_000, issuer: 'agent-wallet', audience: 'agent-wallet-api' },
      sessionMaxAgeMs: 2_160 * 3_600_000,
      otpPepper: new Secret('a pepper of sufficient length'),
      trustedProxies: ['127.0.0.1'],
      // One client stands for many people.
      rateLimits: { ...RATE_LIMITS, otpAddressesPerHour: 1_000 },
      connectionLimits: { total: 10_000, perNetwork: 10_000 },
      network: 'devnet',
      explorerUrlTemplate: 'https://explorer.solana.com/tx/{signature}',
      keyCustody: 'Keys are kept by a test.',
      logLevel: 'silent',
      stream: { kind: 'postgres' },
      notices: { isOn: true, consumerGroup: 'notices' },
      ...change,
    };
    world.client = new Client((await world.start()).url);
    return world;
  }

  /** Starts one more gateway on the same database, which waits little for history and checks at each read whether it is ready. */
  async start(change: Partial<GatewaySettings> = {}, timing: GatewayOverrides['timing'] = {}): Promise<RunningGateway> {
    const gateway = await startGateway(
      { ...this.settings, ...change },
      { clock: this.clock, timing: { historyLagMs: 300, readinessKeptMs: 0, ...this.#timing, ...timing } },
    );
    this.gateways.push(gateway);
    return gateway;
  }

  /** Back to services that work, and to counters that count from nothing. */
  async reset(): Promise<void> {
    Object.assign(this.script, defaultScript());
    this.clock.reset();
    this.inbox.refusing = false;
    this.inbox.deferring = false;
    await this.restartServices();
    await this.database.pool.query('truncate rate_windows, login_blocks');
  }

  /** Brings killed services back, and waits until the gateway has found them. */
  async restartServices(): Promise<void> {
    const services = Object.values(this.services);
    await Promise.all(services.map((service) => service.restart()));
    const kills = services.reduce((sum, service) => sum + service.kills, 0);
    if (kills === this.#killsOvercome) return;
    await eventually(async () => (await this.client.get('/readyz')).status === 200);
    this.#killsOvercome = kills;
  }

  /** Logs a new owner in, through a client whose own address the proxy vouches for. */
  async login(client = this.client): Promise<{ client: Client; token: string; email: string; agentId: string }> {
    const n = (this.#people += 1);
    const email = `owner${n}@example.com`;
    const own = client.from(`10.1.${n >> 8}.${n & 255}`);
    const token = await this.tokenFor(email, own);
    const payload = JSON.parse(Buffer.from(token.split('.')[1] as string, 'base64url').toString()) as { sub: string };
    return { client: own.as(token), token, email, agentId: payload.sub };
  }

  async tokenFor(email: string, client: Client): Promise<string> {
    const { otpId, code } = await this.otp(email, client);
    const answer = await client.post('/connect/complete', { email, otpId, otpCode: code });
    if (answer.status !== 200) throw new Error(`no login: ${answer.text}`);
    return answer.body.data.sessionToken as string;
  }

  /** Asks for a login code and reads it in the inbox. */
  async otp(email: string, client: Client): Promise<{ otpId: string; code: string }> {
    const answer = await client.post('/connect/start', { email });
    if (answer.status !== 200) throw new Error(`no otp: ${answer.text}`);
    return { otpId: answer.body.data.otpId as string, code: this.inbox.lastCode(email) };
  }

  async close(): Promise<void> {
    await Promise.all(this.gateways.map((gateway) => gateway.stop()));
    await Promise.all(Object.values(this.services).map((service) => service.kill()));
    await this.inbox.close();
    await this.database.close();
    await this.events.close();
    await this.test.close();
    rmSync(this.directory, { recursive: true, force: true });
  }
}

/** Writes a P-256 key into the folder of token keys. */
export function writeTokenKey(directory: string, kid: string): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  writeFileSync(path.join(directory, `${kid}.pem`), pem);
  return pem;
}

/** A connection with its password as services keep it. */
export function secret(connection: TestDatabase['connection']) {
  return { ...connection, password: new Secret(connection.password) };
}
