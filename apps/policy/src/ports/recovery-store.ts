/** A recovery that is under way. */
export interface OpenRecovery {
  readonly id: number;
  /** First slot to read: everything that landed before is known. */
  readonly sinceSlot: number;
  /** The last block height at which a message can land that was permitted before; undefined until it is known. */
  readonly lastHeight: number | undefined;
  /** A slot that was finalized after that; undefined until it is. */
  readonly readAtSlot: number | undefined;
  readonly areWalletsReported: boolean;
}

/** A wallet whose keys the signer has. */
export interface RecoveringWallet {
  readonly address: string;
  /** Undefined for a wallet of the operator. */
  readonly agentId: string | undefined;
}

/** A transaction that landed, was signed by one of our keys, and has no record. */
export interface ForgottenTransaction {
  /** Base58. */
  readonly signature: string;
  readonly messageHash: Uint8Array;
  readonly slot: number;
  /** Unix milliseconds; null where the node does not know. */
  readonly landedAtMs: number | null;
  /** Whose money it moved, or who was paid by it; undefined when unknown. */
  readonly agentId: string | undefined;
  /**
   * Value that counts toward the agent's limits, in micro-dollars; undefined for the whole daily limit, where there is
   * no price.
   */
  readonly valueUsdMicros: bigint | undefined;
  /** Lamports that the sponsor paid. */
  readonly sponsoredLamports: bigint;
  /** Base units that the treasury paid; undefined when it did not. */
  readonly paidOut: bigint | undefined;
}

/** A forgotten transaction as it was counted. */
export type CountedTransaction = Pick<ForgottenTransaction, 'signature' | 'slot' | 'landedAtMs' | 'agentId'> & {
  readonly valueUsdMicros: bigint;
  /** Whether its agent is frozen now. */
  readonly isFrozen: boolean;
};

/** Progress of the last recovery. */
export interface RecoveryStatus {
  readonly isRecovering: boolean;
  /** 0 when there was none. */
  readonly id: number;
  readonly reason: string;
  readonly startedAtMs: number;
  /** Undefined while it is under way. */
  readonly endedAtMs: number | undefined;
  readonly lastHeight: number | undefined;
  readonly isChainRead: boolean;
  readonly areWalletsReported: boolean;
  /** Wallets reported, and wallets read; 0 where they were not counted. */
  readonly walletCount: number;
  readonly readCount: number;
  readonly isTreasuryHeld: boolean;
  /** Agents of forgotten transactions that are frozen. */
  readonly heldAgents: readonly string[];
}

/** The operator of a manual action, and the reason. */
export interface RecoveryNote {
  readonly operator: string;
  readonly reason: string;
}

/** Store of recoveries, for all replicas. Several may call each method, and repeat it. */
export interface RecoveryStore {
  /** Begins one where this is not the known database. @returns whether it began now */
  detect(): Promise<boolean>;
  /** Begins one by hand, for what happened since then; false while one is under way. */
  order(note: RecoveryNote, sinceMs: number): Promise<boolean>;
  open(): Promise<OpenRecovery | undefined>;
  keepLastHeight(id: number, height: number): Promise<void>;
  keepReadSlot(id: number, slot: number): Promise<void>;
  /** Adds wallets to those that are read. @param isLast whether these are the last */
  addWallets(id: number, wallets: readonly RecoveringWallet[], isLast: boolean): Promise<void>;
  /** Wallets that are not read yet; no other replica gets them for a while. */
  claimWallets(maxCount: number): Promise<RecoveringWallet[]>;
  /** Agents by the addresses of wallets that are read. */
  agentsAmong(addresses: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Returns which of these messages were permitted: of one agent, or of all by what the operator's wallets paid. */
  knownAmong(hashes: readonly Uint8Array[], agentId: string | undefined): Promise<ReadonlySet<string>>;
  /** Counts forgotten transactions, each once, freezes their agents, and publishes an event. */
  count(id: number, forgotten: readonly ForgottenTransaction[]): Promise<void>;
  noteRead(address: string): Promise<void>;
  /** Ends a recovery when all wallets were read. @returns whether it ended now */
  end(id: number): Promise<boolean>;
  /** Returns the progress of the last recovery. @param countWallets whether to count wallets, at a read of each */
  status(countWallets: boolean): Promise<RecoveryStatus>;
  /** Lists forgotten transactions as they were counted, those of the last recovery first. */
  counted(limit: number): Promise<CountedTransaction[]>;
  /** Lets money go to the treasury and come from it again. @returns whether that changed anything */
  unfreezeTreasury(note: RecoveryNote): Promise<boolean>;
  /** Returns whether recovery has found a message of this agent on chain. */
  hasLanded(agentId: string, messageHash: Uint8Array): Promise<boolean>;
}
