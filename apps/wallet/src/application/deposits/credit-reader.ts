import { settleAll } from '@agent-wallet/kernel';
import type { Commitment, LandedTransaction } from '@agent-wallet/solana';
import type { Credit, TokenAccount } from '../../domain/deposits/deposit.js';
import { findCredits, findFormerAccounts } from '../../domain/deposits/find-credits.js';
import type { DepositChain } from '../../ports/deposit-chain.js';
import type { DepositStore } from '../../ports/deposit-store.js';
import { findOpenAccounts } from './find-open-accounts.js';

const FETCHED_AT_ONCE = 8;

/** A transaction whose credits are asked for. */
export interface NamedTransaction {
  readonly signature: string;
  readonly commitment: Commitment;
}

/** A transaction as it landed, all that agents got by it, and the token accounts that they have or gave up by it. */
export interface LandedCredits {
  readonly slot: number;
  readonly blockTimeMs: number | null;
  readonly credits: readonly Credit[];
  readonly accounts: readonly TokenAccount[];
}

/** Reads transactions and finds what agents got by them: all agents, whichever account a transaction was found by. */
export class CreditReader {
  constructor(
    private readonly chain: Pick<DepositChain, 'transaction'>,
    private readonly deposits: Pick<DepositStore, 'agentsAmong'>,
    private readonly operators: ReadonlySet<string>,
  ) {}

  /**
   * Returns credits by signature. Transactions that the node does not know, or that cannot be read, are omitted;
   * `onFailure` gets the reason.
   */
  async read(
    wanted: readonly NamedTransaction[],
    onFailure: (signature: string, reason: unknown) => void,
  ): Promise<Map<string, LandedCredits>> {
    const results = await settleAll(FETCHED_AT_ONCE, wanted, ({ signature, commitment }) =>
      this.chain.transaction(signature, commitment),
    );
    const landed = new Map<string, LandedTransaction>();
    results.forEach((result, i) => {
      const { signature } = wanted[i]!;
      if (result.status === 'rejected') onFailure(signature, result.reason);
      else if (result.value) landed.set(signature, result.value);
      else onFailure(signature, new Error('the node does not know the transaction'));
    });
    if (landed.size === 0) return new Map();
    const agents = await this.deposits.agentsAmong([...new Set([...landed.values()].flatMap(walletsIn))]);
    const own = { agents, operators: this.operators };
    return new Map(
      [...landed].map(([signature, tx]) => {
        const { slot, blockTimeMs } = tx;
        const accounts = [...findFormerAccounts(tx, agents), ...findOpenAccounts(tx, agents)];
        return [signature, { slot, blockTimeMs, credits: findCredits(tx, own), accounts }];
      }),
    );
  }
}

/** Addresses that may be wallets of agents. */
function walletsIn({ addresses, postTokenBalances }: LandedTransaction): string[] {
  return [...addresses, ...postTokenBalances.flatMap(({ owner }) => owner ?? [])];
}
