import { startSandboxProcess, TestSandbox } from '@agent-wallet/testing';

/** A transaction that landed. */
export interface SandboxTransaction {
  readonly signature: string;
  readonly err: unknown;
}

/** A token account on chain. */
export interface SandboxAccount {
  readonly address: string;
  readonly mint: string;
  readonly amount: string;
  readonly delegate: string | null;
  readonly closeAuthority: string | null;
}

/** Kinds of malicious transactions that the sandbox's aggregator offers. */
export const MALICIOUS_KINDS = [
  'extraTransfer',
  'setAuthority',
  'approveDelegate',
  'swappedDestination',
  'unknownLookupTable',
  'higherInput',
] as const;

/** A sandbox in its own process: a chain, pools, makers and an aggregator. */
export class Sandbox extends TestSandbox {
  /** Starts it with a chain of that slot time; 31 slots later a slot is final. Prices stand still. */
  static async start(slotMs = 50): Promise<Sandbox> {
    const sandbox = new Sandbox(await startSandboxProcess({ SANDBOX_SLOT_MS: String(slotMs) }), 'aggregator');
    await sandbox.freezePrices();
    return sandbox;
  }

  get aggregatorUrl(): string {
    return this.addresses.aggregatorUrl;
  }

  /** Every transaction that landed and touched an address, newest first, failed ones too. */
  async transactions(address: string): Promise<readonly SandboxTransaction[]> {
    const route = `/chain/transactions?address=${address}`;
    return (await this.admin<{ transactions: SandboxTransaction[] }>('GET', route)).transactions;
  }

  /** Token accounts of an owner. */
  async accounts(owner: string): Promise<readonly SandboxAccount[]> {
    return (await this.admin<{ accounts: SandboxAccount[] }>('GET', `/chain/accounts?owner=${owner}`)).accounts;
  }
}
