import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startSandboxProcess, TestSandbox } from '@agent-wallet/testing';
import { testKey } from './kalshi-server.js';

/** A sandbox in its own process, for its exchange: prices stand still, the account is `testKey`'s. */
export class SandboxExchange extends TestSandbox {
  static async start(tier: 'basic' | 'advanced' = 'advanced'): Promise<SandboxExchange> {
    const sandbox = new SandboxExchange(await startWithKey(tier), 'exchange');
    await sandbox.freezePrices();
    return sandbox;
  }

  get url(): string {
    return this.addresses.exchangeUrl;
  }

  get wsUrl(): string {
    return this.addresses.exchangeWsUrl;
  }

  /** A market of its own with so many contracts on both sides: yes is bid at 40 and asked at 42 cents. */
  async addMarket(ticker: string, size = 100): Promise<void> {
    await this.admin('POST', '/markets', { ticker, title: ticker, yesAsk: 42, yesBid: 40, size });
  }

  /** A market of tenths of a cent: yes is bid at 99.2 and asked at 99.5 cents. */
  async addTenths(ticker: string): Promise<void> {
    const priceStructure = 'deci_cent';
    await this.admin('POST', '/markets', { ticker, title: ticker, yesAsk: 99, yesBid: 98, size: 1, priceStructure });
    await this.admin('POST', `/markets/${ticker}/book`, { yesBids: [['99.2', 100]], noBids: [['0.5', 100]] });
  }
}

async function startWithKey(tier: string) {
  const directory = await mkdtemp(path.join(tmpdir(), 'exchange-'));
  try {
    const keyFile = path.join(directory, 'exchange.pem');
    await writeFile(keyFile, testKey.publicKey.export({ type: 'spki', format: 'pem' }));
    const key = { SANDBOX_EXCHANGE_KEY_ID: testKey.id, SANDBOX_EXCHANGE_PUBLIC_KEY_PATH: keyFile };
    return await startSandboxProcess({ ...key, SANDBOX_EXCHANGE_TIER: tier });
  } finally {
    await rm(directory, { recursive: true });
  }
}
