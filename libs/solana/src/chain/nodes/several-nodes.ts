import { AppError, type Clock, sleep } from '@agent-wallet/kernel';
import { isAddress } from '../../addresses/address.js';
import { cachedResponse } from '../cached-response.js';
import { Mints } from '../mints.js';
import type {
  AddressSignature,
  AddressSignaturesPage,
  ChainAccount,
  ChainHead,
  ChainTime,
  Commitment,
  LandedTransaction,
  RecentBlockhash,
  SendOutcome,
  SignatureStatusAtSlot,
  SimulationOptions,
  SolanaChain,
} from '../solana-chain.js';
import { alike, close, decide, type Judge, NodesDisagree, quorumOf } from './agreement.js';
import type { NodeHealth } from './node-health.js';

/** Nodes that answer together differ by at most so many slots or blocks, about 13 seconds. */
const TOLERANCE = 32;
const TIME_TOLERANCE_MS = 15_000;
/** A busy account differs between two nodes for a slot. */
const ROUNDS = 4;
const PAUSE_MS = 200;

interface AtSlot {
  readonly slot: number;
}

interface AccountAtSlot extends AtSlot {
  readonly account: ChainAccount | null;
}

/**
 * Several nodes as one: what moves money or proves an outcome needs a quorum. No height is one that
 * no honest node has reached, no message is believed to end earlier than it does, and no price looks younger than it is.
 */
export class SeveralNodes implements SolanaChain {
  readonly latestBlockhash: SolanaChain['latestBlockhash'];
  readonly finalizedHead: SolanaChain['finalizedHead'];
  readonly confirmedHead: SolanaChain['confirmedHead'];
  readonly head: SolanaChain['head'];
  readonly time: SolanaChain['time'];
  readonly #quorum: number;
  readonly #mints = new Mints(async (address) => (await this.#account(address)).account);

  constructor(
    private readonly nodes: readonly SolanaChain[],
    clock: Clock,
    private readonly pause: (ms: number) => Promise<void> = sleep,
    private readonly health?: NodeHealth,
  ) {
    this.#quorum = quorumOf(nodes.length);
    this.latestBlockhash = cachedResponse(clock, () => this.#blockhash());
    this.finalizedHead = cachedResponse(clock, () => this.#headOf((node) => node.finalizedHead()));
    this.confirmedHead = cachedResponse(clock, () => this.#headOf((node) => node.confirmedHead()));
    this.time = cachedResponse(clock, () => this.#time());
    this.head = cachedResponse(clock, async () => {
      const [head, { blockTimeMs }] = await Promise.all([this.confirmedHead(), this.time({ maxAgeMs: 0 })]);
      return { ...head, blockTimeMs };
    });
  }

  /** Returns a head that a quorum has reached. */
  async #headOf(headOf: (node: SolanaChain) => Promise<ChainHead>): Promise<ChainHead> {
    const near = close<ChainHead>(this.#quorum, TOLERANCE, ({ blockHeight }) => blockHeight);
    const reached: Judge<ChainHead> = {
      ...near,
      pick: (heads, isLast) => near.pick(heads, isLast) ?? (isLast ? highest(heads, this.#quorum) : undefined),
    };
    const heads = await this.#decide(headOf, reached, slotOf);
    return {
      slot: Math.min(...heads.map(({ slot }) => slot)),
      blockHeight: Math.min(...heads.map(({ blockHeight }) => blockHeight)),
      epoch: Math.min(...heads.map(({ epoch }) => epoch)),
    };
  }

  /**
   * Returns the newest blockhash of nodes that are near each other. It may be valid for longer than its node says: the
   * height of its end is the highest that they name, and the tolerance more.
   */
  async #blockhash(): Promise<RecentBlockhash> {
    const near = close<RecentBlockhash>(this.#quorum, TOLERANCE, ({ lastValidBlockHeight }) => lastValidBlockHeight);
    const all = await this.#decide((node) => node.latestBlockhash(), near, slotOf);
    const [newest] = all;
    const last = Math.max(...all.map(({ lastValidBlockHeight }) => lastValidBlockHeight));
    return { ...newest!, lastValidBlockHeight: last + TOLERANCE };
  }

  async #time(): Promise<ChainTime> {
    const near = close<ChainTime>(this.#quorum, TIME_TOLERANCE_MS, ({ blockTimeMs }) => blockTimeMs);
    const all = await this.#decide((node) => node.time(), near, slotOf);
    return {
      slot: Math.min(...all.map(({ slot }) => slot)),
      epoch: Math.min(...all.map(({ epoch }) => epoch)),
      // An older price must not look fresh.
      blockTimeMs: Math.max(...all.map(({ blockTimeMs }) => blockTimeMs)),
      readAtMs: Math.min(...all.map(({ readAtMs }) => readAtMs)),
    };
  }

  async blockTimeMs(slot: number): Promise<number | null> {
    const [time] = await this.#decide((node) => node.blockTimeMs(slot), alike<number | null>(this.#quorum));
    return time!;
  }

  async accounts(addresses: readonly string[]) {
    const all = await Promise.all(addresses.map((address) => this.#account(address)));
    return { slot: Math.min(...all.map(({ slot }) => slot)), accounts: all.map(({ account }) => account) };
  }

  async #account(address: string): Promise<AccountAtSlot> {
    if (!isAddress(address)) throw new AppError('INVALID_ADDRESS', { data: { problem: 'not_an_address' } });
    const read = async (node: SolanaChain): Promise<AccountAtSlot> => {
      const { slot, accounts } = await node.accounts([address]);
      return { slot, account: accounts[0]! };
    };
    return this.#agreed(read, ({ account }) => account);
  }

  finalizedAccounts(addresses: readonly string[]) {
    return this.#agreed(
      (node) => node.finalizedAccounts(addresses),
      ({ accounts }) => accounts,
    );
  }

  walletHoldings(owner: string) {
    return this.#agreed(
      (node) => node.walletHoldings(owner),
      ({ slot: _, ...held }) => held,
    );
  }

  mint(address: string) {
    return this.#mints.immutable(address);
  }

  mintState(address: string) {
    return this.#mints.state(address);
  }

  /**
   * Returns a landing on which a quorum agrees, with the least commitment that they name; or that a quorum does not know
   * the signature, at the slot that all of them have reached.
   */
  async signatureStatus(signature: string, options: { searchHistory: boolean }): Promise<SignatureStatusAtSlot> {
    const landed = alike<SignatureStatusAtSlot>(this.#quorum, ({ status }) => status && [status.slot, status.error]);
    const near = close<SignatureStatusAtSlot>(this.#quorum, TOLERANCE, ({ contextSlot }) => contextSlot);
    const same: Judge<SignatureStatusAtSlot> = {
      ...landed,
      pick: (answers, isLast) => {
        const knowing = answers.filter(({ status }) => status !== null);
        const others = answers.filter(({ status }) => status === null);
        return landed.pick(knowing, isLast) ?? near.pick(others, isLast);
      },
    };
    const ask = (node: SolanaChain) => node.signatureStatus(signature, options);
    const all = await this.#decide(ask, same, (answer) => answer.contextSlot);
    const contextSlot = Math.min(...all.map((answer) => answer.contextSlot));
    const [{ status }] = all as [SignatureStatusAtSlot];
    return { contextSlot, status: status && { ...status, commitment: leastCommitment(all) } };
  }

  async transaction(signature: string, commitment: Commitment): Promise<LandedTransaction | null> {
    const same = await this.#decide(
      (node) => node.transaction(signature, commitment),
      // Not every node keeps the times of blocks.
      alike<LandedTransaction | null>(this.#quorum, (found) => found && { ...found, blockTimeMs: null }),
    );
    return same.find((found) => found !== null && found.blockTimeMs !== null) ?? same[0]!;
  }

  /**
   * Returns a page on which a quorum agrees. A union of pages would let one node push entries off the page, and an entry that
   * is missing proves that a message never landed.
   */
  async signaturesForAddress(address: string, page: AddressSignaturesPage): Promise<readonly AddressSignature[]> {
    const [listed] = await this.#repeated(
      (node) => node.signaturesForAddress(address, page),
      (entries) => entries.map(({ signature, slot, error }) => [signature, slot, error]),
    );
    return listed!;
  }

  /** Sends to every node. The first that takes it is enough; that none ever will, a quorum says. */
  async send(transaction: Uint8Array): Promise<SendOutcome> {
    const taken = ({ kind }: SendOutcome) => kind === 'accepted' || kind === 'already_processed';
    const sent = this.nodes.map((node) => node.send(transaction));
    const first = await Promise.any(
      sent.map(async (outcome) => {
        if (taken(await outcome)) return outcome;
        throw new Error('not taken');
      }),
    ).catch(() => undefined);
    if (first) return first;
    const all = await Promise.all(sent);
    const rejected = all.filter(({ kind }) => kind === 'rejected');
    if (rejected.length >= this.#quorum) return rejected[0]!;
    return (
      all.find(({ kind }) => kind === 'blockhash_not_found') ?? all.find(({ kind }) => kind === 'unknown') ?? UNKNOWN
    );
  }

  simulate(message: Uint8Array, options: SimulationOptions) {
    return this.#agreed(
      (node) => node.simulate(message, options),
      ({ error, accounts }) => ({ error, accounts }),
    );
  }

  async rentExemptMinimumLamports(bytes: number): Promise<bigint> {
    const [rent] = await this.#decide((node) => node.rentExemptMinimumLamports(bytes), alike<bigint>(this.#quorum));
    return rent!;
  }

  /** Returns one node's prices: they are a hint, whose use is bounded. */
  recentPriorityPrices(addresses: readonly string[]) {
    return Promise.any(this.nodes.map((node) => node.recentPriorityPrices(addresses))).catch(
      (error: AggregateError) => {
        throw error.errors[0];
      },
    );
  }

  close(): void {
    for (const node of this.nodes) node.close();
  }

  /** Returns the answer of the oldest slot of a quorum that agrees. */
  async #agreed<Answer extends AtSlot>(
    ask: (node: SolanaChain) => Promise<Answer>,
    comparedPartOf: (answer: Answer) => unknown,
  ): Promise<Answer> {
    const same = await this.#repeated(ask, comparedPartOf, slotOf);
    return same.reduce((oldest, each) => (each.slot < oldest.slot ? each : oldest));
  }

  /** Returns the answers of a quorum that agrees. Asks again while nodes that are a slot apart disagree. */
  async #repeated<Answer>(
    ask: (node: SolanaChain) => Promise<Answer>,
    comparedPartOf: (answer: Answer) => unknown,
    slot?: (answer: Answer) => number,
  ): Promise<readonly Answer[]> {
    const judge = alike(this.#quorum, comparedPartOf);
    for (let round = 1; round < ROUNDS; round += 1) {
      try {
        return await decide(this.nodes, ask, judge, this.health?.observer(judge, slot));
      } catch (error) {
        if (!isDisagreement(error)) throw error;
      }
      await this.pause(PAUSE_MS);
    }
    return this.#decide(ask, judge, slot);
  }

  async #decide<Answer>(
    ask: (node: SolanaChain) => Promise<Answer>,
    judge: Judge<Answer>,
    slot?: (answer: Answer) => number,
  ): Promise<readonly Answer[]> {
    try {
      return await decide(this.nodes, ask, judge, this.health?.observer(judge, slot));
    } catch (error) {
      if (isDisagreement(error)) this.health?.disagreed();
      throw error;
    }
  }
}

const slotOf = ({ slot }: AtSlot): number => slot;

function isDisagreement(error: unknown): boolean {
  return error instanceof AppError && error.cause instanceof NodesDisagree;
}

const UNKNOWN: SendOutcome = { kind: 'unknown', cause: new NodesDisagree() };

/** Returns the heads that at least a quorum has reached, the lowest of them last. */
function highest(heads: readonly ChainHead[], quorum: number): readonly ChainHead[] {
  return [...heads].sort((one, other) => other.blockHeight - one.blockHeight).slice(0, quorum);
}

const COMMITMENTS = ['processed', 'confirmed', 'finalized'] as const;

function leastCommitment(answers: readonly SignatureStatusAtSlot[]) {
  const indexes = answers.map(({ status }) => COMMITMENTS.indexOf(status!.commitment));
  return COMMITMENTS[Math.min(...indexes)]!;
}
