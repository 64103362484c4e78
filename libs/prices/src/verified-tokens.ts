import { AppError, type Clock, RecentlyUsed, type Secret, systemClock } from '@agent-wallet/kernel';
import { openAggregatorApi } from './aggregator-api.js';
import { isSymbol, readVerifiedTokens, type VerifiedToken } from './read-tokens.js';

/** Tokens that the aggregator vouches for. All methods throw AppError UPSTREAM_ERROR, UPSTREAM_TIMEOUT or RATE_LIMIT_EXCEEDED. */
export interface VerifiedTokens {
  /** Returns the verified token of a mint. */
  byMint(mint: string): Promise<VerifiedToken | undefined>;
  /** Returns the verified token with exactly this symbol; undefined when there is none, or more than one. */
  bySymbol(symbol: string): Promise<VerifiedToken | undefined>;
}

/** Options of the token look-up. */
export interface VerifiedTokensOptions {
  /** Root of the aggregator's API, as `https://api.jup.ag`. */
  readonly baseUrl: string;
  readonly apiKey?: Secret<string>;
  /** Time limit of one call; default 5 000 ms. */
  readonly timeoutMs?: number;
  readonly clock?: Clock;
}

const KEPT_MS = 60_000;
const MAX_KEPT = 1_000;
/** Prices come from the same account at the aggregator: look-ups must not use up its calls. */
const MAX_CALLS_PER_MINUTE = 10;
const MINUTE_MS = 60_000;

/** Looks tokens up with Tokens v2 (`GET /tokens/v2/search`). Nothing is sent before the first question. */
export function openVerifiedTokens({ timeoutMs = 5_000, ...options }: VerifiedTokensOptions): VerifiedTokens {
  const clock = options.clock ?? systemClock;
  const api = openAggregatorApi({ ...options, timeoutMs, clock });
  const kept = new RecentlyUsed<{ readonly askedAtMs: number; readonly tokens: Promise<readonly VerifiedToken[]> }>(
    MAX_KEPT,
  );
  let calls: readonly number[] = [];

  const ask = async (query: string): Promise<readonly VerifiedToken[]> => {
    calls = calls.filter((atMs) => Math.abs(clock.nowMs() - atMs) < MINUTE_MS);
    if (calls.length >= MAX_CALLS_PER_MINUTE) {
      const message = 'Too many tokens were looked up. Wait a minute, or use the mint.';
      throw new AppError('RATE_LIMIT_EXCEEDED', { message, data: { scope: 'upstream', retryAfterSeconds: 60 } });
    }
    calls = [...calls, clock.nowMs()];
    return readVerifiedTokens(await api.text(`/tokens/v2/search?query=${encodeURIComponent(query)}`));
  };

  const search = (query: string): Promise<readonly VerifiedToken[]> => {
    const askedAtMs = clock.nowMs();
    const known = kept.use(query);
    if (known && Math.abs(askedAtMs - known.askedAtMs) < KEPT_MS) return known.tokens;
    const asked = { askedAtMs, tokens: ask(query) };
    kept.keep(query, asked);
    asked.tokens.catch(() => {
      if (kept.use(query) === asked) kept.drop(query);
    });
    return asked.tokens;
  };

  const only = (tokens: readonly VerifiedToken[]) => (tokens.length === 1 ? tokens[0] : undefined);
  return {
    byMint: async (mint) => only((await search(mint)).filter((token) => token.mint === mint)),
    bySymbol: async (symbol) => {
      if (!isSymbol(symbol)) return undefined;
      return only((await search(symbol)).filter((token) => token.symbol === symbol));
    },
  };
}
