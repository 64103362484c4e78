/** An agent account's gain in one transaction that neither the agent nor the operator signed. */
export interface Credit {
  readonly agentId: string;
  /** The agent's wallet. */
  readonly wallet: string;
  /** The account that holds it now: the wallet itself, or one of its token accounts. */
  readonly account: string;
  /** Empty for the native coin. */
  readonly mint: string;
  readonly decimals: number;
  /** Base units that really arrived, transfer fees deducted. */
  readonly amount: bigint;
  /** The wallet that it came from; empty where that is not plain. */
  readonly sender: string;
}

/** A token account of an agent, or one that an agent closed or gave away. */
export interface TokenAccount {
  readonly agentId: string;
  /** The agent's wallet. */
  readonly wallet: string;
  readonly address: string;
}

/** Dropped: the chain has undone it. */
export type DepositState = 'pending' | 'confirmed' | 'dropped';

/** A credit as it is kept: once for each signature and account. */
export interface Deposit extends Credit {
  readonly id: string;
  /** Base58. */
  readonly signature: string;
  readonly slot: number;
  readonly state: DepositState;
  /** Rises with every published change. */
  readonly revision: number;
  /** Unix milliseconds. */
  readonly createdAtMs: number;
}

/** A credit, and the transaction that brought it. */
export interface FoundDeposit extends Credit {
  readonly signature: string;
  readonly slot: number;
  /** Unix milliseconds; null where the node does not know. */
  readonly blockTimeMs: number | null;
  readonly isFinalized: boolean;
}

/** The changed fields of a deposit. */
export type DepositChange = Pick<Deposit, 'state' | 'slot' | 'amount'>;
