import { type AppError, notFound, WRAPPED_SOL_MINT } from '@agent-wallet/kernel';
import type { Logger } from '@agent-wallet/platform';
import type { VerifiedToken, VerifiedTokens } from '@agent-wallet/prices';
import { isAddress, type MintState, type SolanaChain, transferFeeInEpoch } from '@agent-wallet/solana';
import type { TokenRegistry } from '../../domain/token-registry.js';
import { unsafeExtensions } from '../../domain/token-safety.js';

/** The mint's powers over holders of the token. */
interface TokenSafety {
  readonly freezeAuthority: string | null;
  readonly mintAuthority: string | null;
  readonly permanentDelegate: string | null;
  readonly transferHook: string | null;
  /** The mint's own fee on transfers in this epoch, and the most that it takes of one. */
  readonly transferFeeBps: number;
  readonly maxTransferFee: bigint;
  /** Extensions for which the token is not moved. */
  readonly unsafeExtensions: readonly string[];
}

/** Known facts about a token. */
export interface TokenFacts {
  /** The mint's address; that of wrapped SOL for the native coin. */
  readonly mint: string;
  readonly symbol: string;
  readonly name: string;
  readonly decimals: number;
  /** Whether it is known to be the one it says it is. */
  readonly isVerified: boolean;
  readonly safety: TokenSafety;
}

type Names = Pick<TokenFacts, 'symbol' | 'name'>;

const EPOCH_MAX_AGE_MS = 10_000;

/** Finds a token by its symbol or its mint, and reads what its mint can do from the chain. */
export class GetToken {
  constructor(
    private readonly chain: Pick<SolanaChain, 'mintState' | 'time'>,
    private readonly tokens: VerifiedTokens,
    private readonly parts: { readonly registry: TokenRegistry; readonly logger: Logger },
  ) {}

  /**
   * @param agentId the agent that looks it up: look-ups are shared out among agents
   * @throws AppError NOT_FOUND for a token that is not known, UPSTREAM_ERROR, UPSTREAM_TIMEOUT, RATE_LIMIT_EXCEEDED
   */
  async execute(query: string, agentId: string): Promise<TokenFacts> {
    const known = query === '' ? undefined : this.parts.registry.known(query);
    if (known) {
      const state = await this.#state(known.mint || WRAPPED_SOL_MINT);
      return this.#facts(state, known);
    }
    if (isAddress(query)) {
      const [state, listed] = await Promise.all([this.#state(query), this.#listed(query, agentId)]);
      return this.#facts(state, this.#isBelieved(listed, state) ? listed : undefined);
    }
    const listed = await this.tokens.bySymbol(query, { agentId });
    if (!listed) throw noToken();
    const state = await this.#state(listed.mint);
    if (!this.#isBelieved(listed, state)) throw noToken();
    return this.#facts(state, listed);
  }

  /** Reports whether the aggregator's name counts: it must not contradict the chain or the names that are known here. */
  #isBelieved(listed: VerifiedToken | undefined, { address, decimals }: MintState): listed is VerifiedToken {
    return (
      listed?.mint === address &&
      listed.decimals === decimals &&
      !this.parts.registry.isImpostor(listed.symbol, address)
    );
  }

  async #state(mint: string): Promise<MintState> {
    // In the mint's own call, for those that have a fee.
    const time = this.chain.time({ maxAgeMs: EPOCH_MAX_AGE_MS }).catch(() => undefined);
    const [state] = await Promise.all([this.chain.mintState(mint), time]);
    if (!state) throw noToken();
    return state;
  }

  /** Returns the aggregator's entry for a mint. A failed read is logged: a mint is worth showing without a name. */
  async #listed(mint: string, agentId: string): Promise<VerifiedToken | undefined> {
    try {
      return await this.tokens.byMint(mint, { agentId });
    } catch (err) {
      this.parts.logger.warn({ event: 'token.name_read_failed', mint, err }, 'Token returned without its name');
      return undefined;
    }
  }

  async #facts(state: MintState, names: Names | undefined): Promise<TokenFacts> {
    const { address: mint, decimals } = state;
    const known = this.parts.registry.symbolOf(mint);
    return {
      mint,
      symbol: names?.symbol ?? known,
      name: names?.name ?? known,
      decimals,
      isVerified: names !== undefined,
      safety: await this.#safety(state),
    };
  }

  async #safety(state: MintState): Promise<TokenSafety> {
    const { freezeAuthority, mintAuthority, permanentDelegate, transferHook, transferFee } = state;
    const time = transferFee && (await this.chain.time({ maxAgeMs: EPOCH_MAX_AGE_MS }));
    const fee = time && transferFeeInEpoch(transferFee, time.epoch);
    return {
      freezeAuthority,
      mintAuthority,
      permanentDelegate,
      transferHook,
      transferFeeBps: fee?.basisPoints ?? 0,
      maxTransferFee: fee && fee.basisPoints > 0 ? fee.maximumFee : 0n,
      unsafeExtensions: unsafeExtensions(state),
    };
  }
}

const noToken = (): AppError => notFound('token', 'Use a symbol or a mint address.');
