import type { intentV1, policyV1 } from '@agent-wallet/contracts';
import { newId } from '@agent-wallet/kernel';
import { TOKEN_PROGRAM } from '@agent-wallet/solana';
import type { PolicyDatabase } from './database.js';
import type { PolicyPeers } from './policy-peers.js';
import { authorization, newWallet, type PolicyClient, startTestService, type TestService } from './service.js';

/** Longer than policy keeps a price that it has read. */
const READINGS_ARE_OVER_MS = 6_000;

/** Policy as it runs, its callers, and the agent of the present test. */
export class PolicyUnderTest {
  gateway!: PolicyClient;
  wallet!: PolicyClient;
  swap!: PolicyClient;
  agentId!: string;

  private constructor(readonly service: TestService) {}

  static async start(options: Parameters<typeof startTestService>[0] = {}): Promise<PolicyUnderTest> {
    const policy = new PolicyUnderTest(await startTestService(options));
    await policy.#connect();
    return policy;
  }

  get world(): PolicyPeers {
    return this.service.world;
  }

  get database(): PolicyDatabase {
    return this.service.database;
  }

  /** For each test one, so that none meets another's limits. */
  async newAgent(): Promise<void> {
    this.agentId = newId();
    await this.gateway.createPolicy({ agentId: this.agentId, namedOwnerId: '' });
  }

  async change(fields: Partial<policyV1.UpdatePolicyRequest>): Promise<void> {
    await this.gateway.updatePolicy({ agentId: this.agentId, allowedRecipients: undefined, ...fields });
  }

  /** A mint of its own, so that no test meets another's accepted price; without a price when `usd` is undefined. */
  newMint(
    usd: string | undefined,
    change: { decimals?: number; priceDecimals?: number; ageBlocks?: number; change24h?: number } = {},
  ): string {
    const mint = newWallet().address;
    const { decimals = 6, priceDecimals = decimals, ageBlocks = 0, change24h } = change;
    this.world.mints.set(mint, { program: TOKEN_PROGRAM, decimals });
    if (usd !== undefined) this.world.prices.set(mint, { usd, decimals: priceDecimals, ageBlocks, change24h });
    return mint;
  }

  /** Who may ask for the permit of an intent. */
  askerOf({ action }: intentV1.Intent): PolicyClient {
    const isOfSwap = ['swap', 'liquidityAdd', 'liquidityRemove'].includes(action?.$case ?? '');
    return isOfSwap ? this.swap : this.wallet;
  }

  async restart(): Promise<void> {
    await this.service.restart();
    await this.#connect();
  }

  /** Lets so much time pass, for policy and for the chain, that policy reads every price again. */
  outliveReadings(): void {
    this.service.passTime(READINGS_ARE_OVER_MS);
    this.world.aheadMs += READINGS_ARE_OVER_MS;
  }

  /** Asks for the permit of a new operation; what it reserves. */
  async reservedFor(intent: intentV1.Intent): Promise<bigint> {
    return (await this.wallet.authorize(authorization(this.agentId, intent).request)).reservedUsdMicros;
  }

  /** Sets a column that only an owner's signature sets. */
  async setOwned(column: string, value: unknown): Promise<void> {
    await this.database.rows(
      `update policies set ${column} = $2, version = version + 1 where agent_id = $1`,
      this.agentId,
      value,
    );
  }

  /** What the agent has used, in micro-dollars. */
  async usage(): Promise<{ used: bigint; reserved: bigint }> {
    const { settledUsdMicros: used, reservedUsdMicros: reserved } = await this.gateway.getUsage({
      agentId: this.agentId,
    });
    return { used, reserved };
  }

  stop(): Promise<void> {
    return this.service.stop();
  }

  async #connect(): Promise<void> {
    [this.gateway, this.wallet, this.swap] = await Promise.all([
      this.service.as('gateway'),
      this.service.as('wallet'),
      this.service.as('swap'),
    ]);
  }
}
