import { AppError, type Clock, systemClock } from '@agent-wallet/kernel';
import { isAddress } from '../addresses/address.js';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM, type TokenProgram } from '../addresses/programs.js';
import { isSignature, transactionSignature } from '../messages/transaction.js';
import { unsignedTransaction } from '../messages/unsigned-transaction.js';
import type { EndpointOptions } from './http-post.js';
import { JsonRpcError, type JsonRpc, openJsonRpc } from './json-rpc.js';
import { cachedResponse } from './cached-response.js';
import { microBatch } from './micro-batch.js';
import { readAccounts, readTokenAccounts } from './read-accounts.js';
import { CLOCK_SYSVAR, readClock } from './read-clock.js';
import { Mints } from './mints.js';
import { readBlockhash, readHead, readStatuses } from './read-heads.js';
import { readPriorityPrices } from './read-priority-prices.js';
import { readSimulation } from './read-simulation.js';
import { readAddressSignatures, readTransaction } from './read-transaction.js';
import { sendOutcomeOf } from './send-outcome.js';
import { type AtSlot, readCount, readText, readU64, ShapeError } from './shapes.js';
import {
  type AddressSignaturesPage,
  type ChainAccount,
  type ChainHead,
  type Commitment,
  MAX_DATA_BYTES,
  type SendOutcome,
  type SignatureStatusAtSlot,
  type Simulation,
  type SimulationOptions,
  type SolanaChain,
  type WalletHoldings,
} from './solana-chain.js';

/** Connection options of the chain. */
export interface SolanaChainOptions extends Omit<EndpointOptions, 'url' | 'timeoutMs'> {
  /** JSON-RPC over http or https. May contain a secret: it is never put into errors. */
  readonly rpcUrl: string;
  /** Time limit of one call; default 10 000 ms. */
  readonly timeoutMs?: number;
  /** Calls for accounts, and for statuses, that are under way at once; what comes meanwhile goes together. Default 2. */
  readonly batchesInFlight?: number;
  /** For the age of kept answers. */
  readonly clock?: Clock;
}

/** The most that nodes take in one call. */
const MAX_STATUSES = 256;
const MAX_ACCOUNTS = 100;
const BATCHES_IN_FLIGHT = 2;

/** Cleaned up, not available, skipped (twice), status not available yet. */
const NO_SUCH_BLOCK = new Set([-32001, -32004, -32007, -32009, -32014]);

const CONFIRMED = { commitment: 'confirmed' } as const;

/** Opens the door to a node. Nothing is sent before the first question. @throws TypeError when the URL is not http(s) */
export function openSolanaChain({
  rpcUrl,
  timeoutMs = 10_000,
  batchesInFlight = BATCHES_IN_FLIGHT,
  clock = systemClock,
  ...rest
}: SolanaChainOptions): SolanaChain {
  return new JsonRpcChain(openJsonRpc({ url: rpcUrl, timeoutMs, ...rest }), clock, batchesInFlight);
}

/** Rent changes with a feature of the chain, at the beginning of an epoch. */
const RENT_MAX_AGE_MS = 60_000;

class JsonRpcChain implements SolanaChain {
  readonly latestBlockhash: SolanaChain['latestBlockhash'];
  readonly finalizedHead: SolanaChain['finalizedHead'];
  readonly confirmedHead: SolanaChain['confirmedHead'];
  readonly head: SolanaChain['head'];
  readonly time: SolanaChain['time'];
  readonly #recentStatus: (signature: string) => Promise<SignatureStatusAtSlot>;
  readonly #anyStatus: (signature: string) => Promise<SignatureStatusAtSlot>;
  readonly #account: (address: string) => Promise<AtSlot<ChainAccount | null>>;
  readonly #mints = new Mints(async (address) => (await this.#account(address)).value);
  readonly #rents = new Map<number, ReturnType<typeof cachedResponse<bigint>>>();

  constructor(
    private readonly rpc: JsonRpc,
    private readonly clock: Clock,
    private readonly batchesInFlight: number,
  ) {
    this.#recentStatus = this.#statusBatch(false);
    this.#anyStatus = this.#statusBatch(true);
    this.#account = microBatch({
      lookUp: (addresses: readonly string[]) => this.#accountsInOneCall(addresses),
      maxKeys: MAX_ACCOUNTS,
      maxInFlight: batchesInFlight,
    });
    this.latestBlockhash = cachedResponse(clock, () => rpc.call('getLatestBlockhash', [CONFIRMED], readBlockhash));
    this.finalizedHead = cachedResponse(clock, () => this.#headOf('finalized'));
    this.confirmedHead = cachedResponse(clock, () => this.#headOf('confirmed'));
    this.head = cachedResponse(clock, async () => {
      const head = await this.#headOf('confirmed');
      const blockTimeMs = await this.blockTimeMs(head.slot);
      if (blockTimeMs === null)
        throw new AppError('UPSTREAM_ERROR', { cause: new ShapeError('the newest block has no time') });
      return { ...head, blockTimeMs };
    });
    this.time = cachedResponse(clock, async () => {
      const readAtMs = clock.nowMs();
      const { value } = await this.#account(CLOCK_SYSVAR);
      return { ...readUpstream(() => readClock(value)), readAtMs };
    });
  }

  #headOf(commitment: Commitment): Promise<ChainHead> {
    return this.rpc.call('getEpochInfo', [{ commitment }], readHead);
  }

  #statusBatch(searchTransactionHistory: boolean): (signature: string) => Promise<SignatureStatusAtSlot> {
    return microBatch({
      lookUp: (signatures: readonly string[]) =>
        this.rpc.call('getSignatureStatuses', [signatures, { searchTransactionHistory }], (result) =>
          readStatuses(result, signatures.length),
        ),
      maxKeys: MAX_STATUSES,
      maxInFlight: this.batchesInFlight,
    });
  }

  async blockTimeMs(slot: number): Promise<number | null> {
    try {
      return await this.rpc.call('getBlockTime', [slot], (result) =>
        result === null ? null : readCount(result, 'the block time') * 1000,
      );
    } catch (error) {
      if (error instanceof AppError && error.cause instanceof JsonRpcError && NO_SUCH_BLOCK.has(error.cause.code))
        return null;
      throw error;
    }
  }

  #multipleAccounts(addresses: readonly string[], commitment: Commitment): Promise<AtSlot<(ChainAccount | null)[]>> {
    const options = { commitment, encoding: 'base64', dataSlice: { offset: 0, length: MAX_DATA_BYTES } };
    return this.rpc.call('getMultipleAccounts', [addresses, options], (result) =>
      readAccounts(result, addresses.length),
    );
  }

  async #accountsInOneCall(addresses: readonly string[]): Promise<AtSlot<ChainAccount | null>[]> {
    const { slot, value } = await this.#multipleAccounts(addresses, 'confirmed');
    return value.map((account) => ({ slot, value: account }));
  }

  async accounts(addresses: readonly string[]) {
    // An invalid one would fail the calls of others.
    if (!addresses.every(isAddress)) throw new AppError('INVALID_ADDRESS', { data: { problem: 'not_an_address' } });
    const found = await Promise.all(addresses.map((address) => this.#account(address)));
    return { slot: Math.min(...found.map(({ slot }) => slot)), accounts: found.map(({ value }) => value) };
  }

  async finalizedAccounts(addresses: readonly string[]) {
    if (!addresses.every(isAddress)) throw new AppError('INVALID_ADDRESS', { data: { problem: 'not_an_address' } });
    const { slot, value } = await this.#multipleAccounts(addresses, 'finalized');
    return { slot, accounts: value };
  }

  async walletHoldings(owner: string): Promise<WalletHoldings> {
    if (!isAddress(owner)) throw new AppError('INVALID_ADDRESS', { data: { problem: 'not_an_address' } });
    const [wallet, tokens, tokens2022] = await Promise.all([
      this.#account(owner),
      this.#tokenAccounts(owner, TOKEN_PROGRAM),
      this.#tokenAccounts(owner, TOKEN_2022_PROGRAM),
      // Not awaited here: its callers get the failure.
      this.time().catch(() => undefined),
    ]);
    return {
      slot: Math.min(wallet.slot, tokens.slot, tokens2022.slot),
      lamports: wallet.value?.lamports ?? 0n,
      tokens: [...tokens.value.tokens, ...tokens2022.value.tokens],
      unparsed: [...tokens.value.unparsed, ...tokens2022.value.unparsed],
    };
  }

  #tokenAccounts(owner: string, tokenProgram: TokenProgram) {
    return this.rpc.call(
      'getTokenAccountsByOwner',
      [owner, { programId: tokenProgram }, { ...CONFIRMED, encoding: 'jsonParsed' }],
      (result) => readTokenAccounts(result, { owner, tokenProgram }),
    );
  }

  mint(address: string) {
    return this.#mints.immutable(address);
  }

  mintState(address: string) {
    return this.#mints.state(address);
  }

  async signatureStatus(
    signature: string,
    { searchHistory }: { searchHistory: boolean },
  ): Promise<SignatureStatusAtSlot> {
    if (!isSignature(signature)) throw new TypeError('not a signature');
    return searchHistory ? this.#anyStatus(signature) : this.#recentStatus(signature);
  }

  transaction(signature: string, commitment: Commitment) {
    const options = { commitment, encoding: 'base64', maxSupportedTransactionVersion: 1 };
    return this.rpc.call('getTransaction', [signature, options], (result) => readTransaction(result, signature));
  }

  signaturesForAddress(address: string, { commitment, ...page }: AddressSignaturesPage) {
    return this.rpc.call('getSignaturesForAddress', [address, { commitment, ...page }], readAddressSignatures);
  }

  async send(transaction: Uint8Array): Promise<SendOutcome> {
    const signature = transactionSignature(transaction);
    const options = { encoding: 'base64', skipPreflight: true, maxRetries: 0 };
    try {
      const text = Buffer.from(transaction).toString('base64');
      const answered = await this.rpc.call('sendTransaction', [text, options], (result) =>
        readText(result, 'the signature'),
      );
      if (answered === signature) return { kind: 'accepted' };
      return { kind: 'unknown', cause: new ShapeError('the node names another signature') };
    } catch (error) {
      return sendOutcomeOf(error);
    }
  }

  async simulate(message: Uint8Array, { accounts, replaceBlockhash = false }: SimulationOptions): Promise<Simulation> {
    if (!accounts.every(isAddress)) throw new AppError('INVALID_ADDRESS', { data: { problem: 'not_an_address' } });
    const transaction = Buffer.from(unsignedTransaction(message)).toString('base64');
    const options = {
      ...CONFIRMED,
      encoding: 'base64',
      sigVerify: false,
      replaceRecentBlockhash: replaceBlockhash,
      ...(accounts.length > 0 ? { accounts: { encoding: 'base64', addresses: accounts } } : {}),
    };
    return this.rpc.call('simulateTransaction', [transaction, options], (result) =>
      readSimulation(result, accounts.length),
    );
  }

  async rentExemptMinimumLamports(bytes: number): Promise<bigint> {
    const rent =
      this.#rents.get(bytes) ??
      cachedResponse(this.clock, () =>
        this.rpc.call('getMinimumBalanceForRentExemption', [bytes], (result) => readU64(result, 'the rent')),
      );
    this.#rents.set(bytes, rent);
    return rent({ maxAgeMs: RENT_MAX_AGE_MS });
  }

  recentPriorityPrices(addresses: readonly string[]) {
    return this.rpc.call('getRecentPrioritizationFees', [addresses], readPriorityPrices);
  }

  close(): void {
    this.rpc.close();
  }
}

/** @throws AppError UPSTREAM_ERROR for what is not as documented */
function readUpstream<Result>(read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    throw new AppError('UPSTREAM_ERROR', { cause: error });
  }
}
