import type { Clock } from '@agent-wallet/kernel';
import type { AcceptedPrices } from '@agent-wallet/prices';
import { type LandedTransaction, messageHash, type SolanaChain } from '@agent-wallet/solana';
import { MAX_USD_MICROS } from '../../domain/value.js';
import type {
  ForgottenTransaction,
  OpenRecovery,
  RecoveryStore,
  RecoveringWallet,
} from '../../ports/recovery-store.js';
import { USDC } from '../permits/check-move.js';
import { askUpstream } from '../pricing/known-prices.js';
import { landedTransaction, landingTimeMs } from '../outcomes/landed-transaction.js';
import { tokenValue } from '../pricing/token-value.js';
import { lamportsLost, lossesOf, receiversOf, signersOf } from './transaction-effects.js';

const PAGE_COUNT = 1_000;
const FETCHED_AT_ONCE = 8;

/** Dependencies of reading a wallet. */
export interface ReadWalletDependencies {
  readonly chain: Pick<SolanaChain, 'signaturesForAddress' | 'transaction'>;
  readonly clock: Clock;
  readonly prices: AcceptedPrices;
  readonly recoveries: Pick<RecoveryStore, 'agentsAmong' | 'knownAmong' | 'count'>;
  /** Base58. */
  readonly sponsor: string | undefined;
  readonly treasury: string | undefined;
}

/** Finds what a wallet has signed, has landed and is in no record, and counts it. */
export class ReadWallet {
  constructor(private readonly dependencies: ReadWalletDependencies) {}

  /**
   * Reads all transactions of a wallet, the newest first, and skips those that were counted before.
   * @throws AppError of the chain and of prices
   */
  async execute(recovery: OpenRecovery, { address, agentId }: RecoveringWallet): Promise<void> {
    for await (const signatures of this.#landed(address, recovery)) {
      for (let from = 0; from < signatures.length; from += FETCHED_AT_ONCE) {
        const chunk = signatures.slice(from, from + FETCHED_AT_ONCE);
        const read = await Promise.all(chunk.map((signature) => this.#transaction(signature)));
        const signed = read.filter((tx) => tx !== 'not_ours').filter((tx) => signersOf(tx).includes(address));
        await this.#countUnknown(recovery, signed, agentId);
      }
    }
  }

  /**
   * Signatures of what landed without an error and names an address, page by page: from the slot on in which nothing more of
   * before could land, back to the recovery's first.
   */
  async *#landed(address: string, { sinceSlot, readAtSlot = Infinity }: OpenRecovery): AsyncGenerator<string[]> {
    for (let before: string | undefined; ;) {
      const page = await this.dependencies.chain.signaturesForAddress(address, {
        commitment: 'finalized',
        limit: PAGE_COUNT,
        ...(readAtSlot === Infinity ? {} : { minContextSlot: readAtSlot }),
        ...(before === undefined ? {} : { before }),
      });
      const recent = page.filter(({ slot }) => slot >= sinceSlot);
      yield recent.filter(({ slot, error }) => error === null && slot <= readAtSlot).map(({ signature }) => signature);
      if (recent.length < page.length || page.length < PAGE_COUNT) return;
      before = page.at(-1)!.signature;
    }
  }

  async #transaction(signature: string): Promise<LandedTransaction | 'not_ours'> {
    const tx = await landedTransaction(this.dependencies.chain, signature);
    if (!tx) throw new Error(`the node lists ${signature} and does not show it`);
    return tx;
  }

  async #countUnknown(
    { id }: OpenRecovery,
    signed: readonly LandedTransaction[],
    agentId: string | undefined,
  ): Promise<void> {
    if (signed.length === 0) return;
    const { recoveries, clock } = this.dependencies;
    const hashed = signed.map((tx) => ({ tx, hash: messageHash(tx.message) }));
    const known = await recoveries.knownAmong(
      hashed.map(({ hash }) => hash),
      agentId,
    );
    const unknown = hashed.filter(({ hash }) => !known.has(Buffer.from(hash).toString('hex')));
    const forgotten: ForgottenTransaction[] = [];
    for (const { tx, hash } of unknown)
      forgotten.push({ ...(await this.#appraise(tx)), ...factsOf(tx, clock.nowMs()), messageHash: hash });
    await recoveries.count(id, forgotten);
  }

  /** Finds the agent of a transaction and its cost, whichever wallet it was found by. */
  async #appraise(tx: LandedTransaction) {
    const { recoveries, sponsor, treasury } = this.dependencies;
    const signers = signersOf(tx);
    const agents = await recoveries.agentsAmong([...signers, ...receiversOf(tx)]);
    const spender = signers.find((signer) => agents.has(signer));
    const hasTreasuryPaid = treasury !== undefined && signers.includes(treasury);
    const receiver = hasTreasuryPaid ? receiversOf(tx).find((owner) => agents.has(owner)) : undefined;
    const lamports = sponsor !== undefined && signers.includes(sponsor) ? lamportsLost(tx, sponsor) : 0n;
    const owner = spender ?? receiver;
    return {
      agentId: owner === undefined ? undefined : agents.get(owner),
      valueUsdMicros: spender === undefined ? 0n : await this.#valueOf(tx, spender),
      sponsoredLamports: lamports > 0n ? lamports : 0n,
      paidOut: hasTreasuryPaid ? usdcLost(tx, treasury) : undefined,
    };
  }

  /** Returns micro-dollars, each token rounded up, capped at the largest value; undefined when a token has no price. */
  async #valueOf(tx: LandedTransaction, wallet: string): Promise<bigint | undefined> {
    let sum = 0n;
    for (const loss of lossesOf(tx, wallet) ?? [undefined]) {
      const value = loss && (await askUpstream(() => tokenValue(this.dependencies.prices, loss)));
      if (value === undefined) return undefined;
      sum += value;
    }
    return sum > MAX_USD_MICROS ? MAX_USD_MICROS : sum;
  }
}

function usdcLost(tx: LandedTransaction, wallet: string): bigint {
  return lossesOf(tx, wallet)?.find(({ mint }) => mint === USDC.mint)?.amount ?? 0n;
}

function factsOf({ signatures, slot, blockTimeMs }: LandedTransaction, nowMs: number) {
  return { signature: signatures[0]!, slot, landedAtMs: landingTimeMs(blockTimeMs, nowMs) };
}
