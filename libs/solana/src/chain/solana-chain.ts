import type { TokenProgram } from '../addresses/programs.js';

/** Commitment of a block: `confirmed` has the cluster's votes, `finalized` is never rolled back. */
export type Commitment = 'confirmed' | 'finalized';

/** A blockhash to build a message with. */
export interface RecentBlockhash {
  readonly blockhash: string;
  /** A message with this blockhash can land up to this block height (a height, not a slot). */
  readonly lastValidBlockHeight: number;
  /** The slot at which the node looked. */
  readonly slot: number;
}

/** The newest block of a commitment, as one node sees it. */
export interface ChainHead {
  readonly slot: number;
  readonly blockHeight: number;
  readonly epoch: number;
}

/** The newest confirmed block, with the time that the cluster gave it. */
export interface TimedChainHead extends ChainHead {
  /** Unix milliseconds (whole seconds). */
  readonly blockTimeMs: number;
}

/** The cluster's own clock. */
export interface ChainTime {
  /** The confirmed block that it is of. */
  readonly slot: number;
  readonly epoch: number;
  /** Unix milliseconds (whole seconds). */
  readonly blockTimeMs: number;
  /** Unix milliseconds of this machine, at which the node was asked. */
  readonly readAtMs: number;
}

/** An account as it is on chain. */
export interface ChainAccount {
  /** Base58 address of the program that owns it. */
  readonly owner: string;
  readonly lamports: bigint;
  /** Its first `MAX_DATA_BYTES`, where there are more. */
  readonly data: Uint8Array;
  readonly executable: boolean;
}

/**
 * As much as is read of an account. Mints, token accounts and lookup tables are far smaller; anyone may name an account
 * of 10 MiB, and many are read in one call.
 */
export const MAX_DATA_BYTES = 65_536;

/** Accounts that were read together. */
export interface AccountsAtSlot {
  /** The slot at which the node looked; the oldest when it took several calls. */
  readonly slot: number;
  /** In the order of the addresses; null where nothing lives. */
  readonly accounts: readonly (ChainAccount | null)[];
}

/** One token account. */
export interface TokenHolding {
  /** Base58 address of the token account. */
  readonly account: string;
  readonly mint: string;
  readonly amount: bigint;
  readonly decimals: number;
  readonly frozen: boolean;
  readonly tokenProgram: TokenProgram;
  /** Whether the mint scales what nodes and wallets show of it, by a multiplier or by interest. */
  readonly isScaled: boolean;
}

/** All that a wallet holds. */
export interface WalletHoldings {
  /** The oldest slot that was looked at. */
  readonly slot: number;
  readonly lamports: bigint;
  /** Every token account of both token programs, empty ones too. */
  readonly tokens: readonly TokenHolding[];
  /** Addresses of token accounts that the node could not parse: what they hold is not known. */
  readonly unparsed: readonly string[];
}

/** The immutable properties of a mint. */
export interface Mint {
  readonly address: string;
  readonly tokenProgram: TokenProgram;
  readonly decimals: number;
  /** Names of the Token-2022 extensions, as `nonTransferable`; an unknown one is `unknown:<type>`. */
  readonly extensions: readonly string[];
}

/** A mint as it is now. */
export interface MintState extends Mint {
  readonly supply: bigint;
  readonly mintAuthority: string | null;
  readonly freezeAuthority: string | null;
  /** Fees that Token-2022 withholds from what the recipient gets; null without that extension. */
  readonly transferFee: TransferFeeConfig | null;
  /** Address that may move or burn the token in any account; null when there is none. */
  readonly permanentDelegate: string | null;
  /** The program that every transfer calls; null for none. */
  readonly transferHook: string | null;
  /** Whether accounts begin frozen, until the issuer thaws each. */
  readonly accountsBeginFrozen: boolean;
}

/** The transfer fee that is in force, and the one that is coming or came last. */
export interface TransferFeeConfig {
  readonly older: TransferFee;
  readonly newer: TransferFee;
}

/** A transfer fee from an epoch on. */
export interface TransferFee {
  readonly epoch: bigint;
  readonly maximumFee: bigint;
  readonly basisPoints: number;
}

/** A node's status of a signature. */
export interface SignatureStatus {
  /** The slot of the block in which it landed. */
  readonly slot: number;
  /** `processed` may still be rolled back by an ordinary fork. */
  readonly commitment: 'processed' | Commitment;
  /** Null for success; else the node's error as JSON text. */
  readonly error: string | null;
}

/** A status and the slot at which the node looked: null from a node that lags proves nothing. */
export interface SignatureStatusAtSlot {
  readonly contextSlot: number;
  readonly status: SignatureStatus | null;
}

/** A transaction that landed. */
export interface LandedTransaction {
  readonly slot: number;
  /** Unix milliseconds; null where the node does not know. */
  readonly blockTimeMs: number | null;
  /** Null for success; else the node's error as JSON text. The fee is charged either way. */
  readonly error: string | null;
  readonly feeLamports: bigint;
  /** Base58, the transaction's id first. */
  readonly signatures: readonly string[];
  readonly message: Uint8Array;
  /** Addresses in the order of the balances: the message's own, then the ones from tables. */
  readonly addresses: readonly string[];
  readonly preBalances: readonly bigint[];
  readonly postBalances: readonly bigint[];
  readonly preTokenBalances: readonly LandedTokenBalance[];
  readonly postTokenBalances: readonly LandedTokenBalance[];
}

/** A token account's balance before or after a transaction. */
export interface LandedTokenBalance {
  /** Base58 address of the token account. */
  readonly account: string;
  readonly mint: string;
  /** Null where the node does not say. */
  readonly owner: string | null;
  readonly amount: bigint;
  readonly decimals: number;
}

/** A landed transaction that names an address. */
export interface AddressSignature {
  readonly signature: string;
  readonly slot: number;
  /** Null for success; else the node's error as JSON text. */
  readonly error: string | null;
  /** Unix milliseconds; null where the node does not know. */
  readonly blockTimeMs: number | null;
  /** Commitment that the node reports; undefined when it reports none. */
  readonly commitment?: Commitment;
}

/** Bounds of a page of an address's signatures. */
export interface AddressSignaturesPage {
  readonly commitment: Commitment;
  /** At most, and by default, 1000. */
  readonly limit?: number;
  /** Signature that bounds the page: older signatures only. */
  readonly before?: string;
  /** Signature that bounds the page: newer signatures only. */
  readonly until?: string;
  /** A node that has not reached this slot at the commitment must refuse. */
  readonly minContextSlot?: number;
}

/**
 * Result of sending. Only the chain ends an attempt. None of these results proves that the transaction never lands,
 * because this or another node may already have taken the same bytes.
 */
export type SendOutcome =
  /** The node took it to forward it. */
  | { readonly kind: 'accepted' }
  /** It has landed already: read its status. */
  | { readonly kind: 'already_processed' }
  /** The node lags or the blockhash is over: send the same bytes again until that is proven. */
  | { readonly kind: 'blockhash_not_found' }
  /** The node will never take these bytes: too large, unreadable, or a wrong signature. */
  | { readonly kind: 'rejected'; readonly cause: unknown }
  /** It may have been taken or not. */
  | { readonly kind: 'unknown'; readonly cause: unknown };

/** Simulated effects of a message. */
export interface Simulation {
  /** The slot at which the node looked. */
  readonly slot: number;
  /** Null for success; else the node's error as JSON text. */
  readonly error: string | null;
  readonly logs: readonly string[];
  readonly unitsConsumed: number;
  /** The accounts that were asked for as they would be afterwards, null where nothing would live; none after an error. */
  readonly accounts: readonly (ChainAccount | null)[];
}

/** Maximum age of a cached response, in milliseconds. Without it, the node is called. */
export interface Freshness {
  readonly maxAgeMs?: number;
}

/** Inputs of a simulation beside the message. */
export interface SimulationOptions {
  readonly accounts: readonly string[];
  readonly replaceBlockhash?: boolean;
}

/**
 * The door to a Solana node. Everything that comes through it was checked for its documented shape; nothing of it
 * is proof against a node that lies. All methods throw AppError UPSTREAM_TIMEOUT or UPSTREAM_ERROR; what the node
 * said is in the `cause`.
 */
export interface SolanaChain {
  /** Returns a blockhash of commitment `confirmed`. */
  latestBlockhash(freshness?: Freshness): Promise<RecentBlockhash>;
  /** Returns the newest finalized block. */
  finalizedHead(freshness?: Freshness): Promise<ChainHead>;
  /** Returns the newest confirmed block. */
  confirmedHead(freshness?: Freshness): Promise<ChainHead>;
  /** Returns the newest confirmed block and its time, at the cost of one more call. */
  head(freshness?: Freshness): Promise<TimedChainHead>;
  /** Returns the cluster's clock, read in the same call as accounts that are requested at that time. */
  time(freshness?: Freshness): Promise<ChainTime>;
  /**
   * Returns the time of a slot's block in Unix milliseconds (whole seconds); null without a block, or when the node
   * does not know it.
   */
  blockTimeMs(slot: number): Promise<number | null>;
  /** Reads accounts at commitment `confirmed`; concurrent reads share calls. @throws also AppError INVALID_ADDRESS */
  accounts(addresses: readonly string[]): Promise<AccountsAtSlot>;
  /** Reads accounts in finalized blocks, in one call for at most 100. @throws also AppError INVALID_ADDRESS */
  finalizedAccounts(addresses: readonly string[]): Promise<AccountsAtSlot>;
  /**
   * Reads all that a wallet holds at commitment `confirmed`, in three calls however many tokens. They bring `time`, too:
   * who takes it as old as that pays no call. @throws also AppError INVALID_ADDRESS
   */
  walletHoldings(owner: string): Promise<WalletHoldings>;
  /** Returns the immutable properties of a mint, cached once known; null when there is no mint at the address. */
  mint(address: string): Promise<Mint | null>;
  /** Reads a mint's current state in one call; null when there is no mint at the address. */
  mintState(address: string): Promise<MintState | null>;
  /**
   * Returns the node's status of a signature; concurrent look-ups share calls. Without history, the search covers about
   * the last 150 slots.
   * @throws also TypeError when the text is not a signature
   */
  signatureStatus(signature: string, options: { searchHistory: boolean }): Promise<SignatureStatusAtSlot>;
  /** Returns a landed transaction; null when the node does not know it at that commitment. */
  transaction(signature: string, commitment: Commitment): Promise<LandedTransaction | null>;
  /** Transactions that name an address, newest first, failed ones too. */
  signaturesForAddress(address: string, page: AddressSignaturesPage): Promise<readonly AddressSignature[]>;
  /** Sends signed bytes, unchecked and once. Never throws for what the node said. */
  send(transaction: Uint8Array): Promise<SendOutcome>;
  /**
   * Simulates an unsigned message at commitment `confirmed`.
   * @param accounts base58 addresses that the message names, whose state afterwards is asked for
   * @param replaceBlockhash takes the node's own blockhash in place of the message's, which another node may know alone
   * @throws also AppError INVALID_ADDRESS, and MalformedMessage
   */
  simulate(message: Uint8Array, options: SimulationOptions): Promise<Simulation>;
  /** Lamports that an account of so many bytes must hold: as read within the last minute, because the chain changes it. */
  rentExemptMinimumLamports(bytes: number): Promise<bigint>;
  /** Ends the connections. */
  /**
   * Returns the least prices of a compute unit (micro-lamports) at which transactions that write to these accounts have
   * landed, one for each recent slot; at most 128 addresses.
   */
  recentPriorityPrices(addresses: readonly string[]): Promise<readonly bigint[]>;
  close(): void;
}
