import { AppError, type Clock, RecentlyUsed, type Secret, systemClock } from '@agent-wallet/kernel';
import { openAggregatorApi } from './aggregator-api.js';
import { isSymbol, readVerifiedTokens, type VerifiedToken } from './read-tokens.js';

/** Agent that a look-up is for. */
export interface LookUpFor {
  readonly agentId: string;
  /** Whether money is to move: such look-ups have calls of their own. */
  readonly isReal?: boolean;
}

/** Tokens that the aggregator vouches for. All methods throw AppError UPSTREAM_ERROR, UPSTREAM_TIMEOUT or RATE_LIMIT_EXCEEDED. */
export interface VerifiedTokens {
  /** Returns the verified token of a mint. */
  byMint(mint: string, by: LookUpFor): Promise<VerifiedToken | undefined>;
  /** Returns the verified token with exactly this symbol; undefined when there is none, or more than one. */
  bySymbol(symbol: string, by: LookUpFor): Promise<VerifiedToken | undefined>;
}

/** The look-up without an aggregator: it finds no verified token. */
export const NO_VERIFIED_TOKENS: VerifiedTokens = { byMint: async () => undefined, bySymbol: async () => undefined };

/** Options of the token look-up. */
export interface VerifiedTokensOptions {
  /** Root of the aggregator's API, as `https://api.jup.ag`. */
  readonly baseUrl: string;
  readonly apiKey?: Secret<string>;
  /** Time limit of one call; default 5 000 ms. */
  readonly timeoutMs?: number;
  readonly clock?: Clock;
}

const MINUTE_MS = 60_000;
/** Time for which verified tokens are cached: the aggregator rarely takes its word back. */
const VERIFIED_KEPT_MS = 60 * MINUTE_MS;
/** Time for which the absence of one is cached: a new token may become verified. */
const UNVERIFIED_KEPT_MS = 10 * MINUTE_MS;
const MAX_KEPT = 1_000;
/**
 * Calls a minute for agents that only ask, and as many for those that move money. Prices come from the same account at the
 * aggregator: look-ups must not use up its calls.
 */
const MAX_CALLS_PER_MINUTE = 10;
/** The last calls of a minute, which only agents get that had none in it. */
const FOR_NEXT_AGENTS = 4;

interface KeptSearch {
  readonly askedAtMs: number;
  keptMs: number;
  readonly tokens: Promise<readonly VerifiedToken[]>;
}

/** Looks tokens up with Tokens v2 (`GET /tokens/v2/search`). Nothing is sent before the first question. */
export function openVerifiedTokens({ timeoutMs = 5_000, ...options }: VerifiedTokensOptions): VerifiedTokens {
  const clock = options.clock ?? systemClock;
  const api = openAggregatorApi({ ...options, timeoutMs, clock });
  const kept = new RecentlyUsed<KeptSearch>(MAX_KEPT);
  const turns = { asking: new Turns(clock), moving: new Turns(clock) };

  const ask = async (query: string, { agentId, isReal }: LookUpFor): Promise<readonly VerifiedToken[]> => {
    turns[isReal ? 'moving' : 'asking'].take(agentId);
    return readVerifiedTokens(await api.text(`/tokens/v2/search?query=${encodeURIComponent(query)}`));
  };

  const search = (query: string, by: LookUpFor, isFound: (token: VerifiedToken) => boolean) => {
    const askedAtMs = clock.nowMs();
    const known = kept.use(query);
    if (known && Math.abs(askedAtMs - known.askedAtMs) < known.keptMs) return known.tokens;
    const tokens = ask(query, by).then((all) => all.filter(isFound));
    const asked: KeptSearch = { askedAtMs, keptMs: UNVERIFIED_KEPT_MS, tokens };
    kept.keep(query, asked);
    tokens.then(
      ({ length }) => length === 1 && (asked.keptMs = VERIFIED_KEPT_MS),
      () => kept.use(query) === asked && kept.drop(query),
    );
    return tokens;
  };

  const only = (tokens: readonly VerifiedToken[]) => (tokens.length === 1 ? tokens[0] : undefined);
  return {
    byMint: async (mint, by) => only(await search(mint, by, (token) => token.mint === mint)),
    bySymbol: async (symbol, by) => {
      if (!isSymbol(symbol)) return undefined;
      return only(await search(symbol, by, (token) => token.symbol === symbol));
    },
  };
}

/** The calls of the last minute, with the agents that they were for. */
class Turns {
  #taken: readonly { readonly atMs: number; readonly agentId: string }[] = [];

  constructor(private readonly clock: Clock) {}

  /** Takes a call for an agent. @throws AppError RATE_LIMIT_EXCEEDED */
  take(agentId: string): void {
    const nowMs = this.clock.nowMs();
    this.#taken = this.#taken.filter(({ atMs }) => Math.abs(nowMs - atMs) < MINUTE_MS);
    const isNext = this.#taken.every((taken) => taken.agentId !== agentId);
    if (this.#taken.length >= MAX_CALLS_PER_MINUTE - (isNext ? 0 : FOR_NEXT_AGENTS)) {
      const message = 'Too many tokens were looked up. Wait a minute, or use the mint.';
      throw new AppError('RATE_LIMIT_EXCEEDED', { message, data: { scope: 'upstream', retryAfterSeconds: 60 } });
    }
    this.#taken = [...this.#taken, { atMs: nowMs, agentId }];
  }
}
