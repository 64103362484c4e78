import { AppError, namedTokens, SOLANA_NETWORKS, WRAPPED_SOL_MINT } from '@agent-wallet/kernel';
import { setting } from '@agent-wallet/platform';
import {
  AggregatorStatusError,
  openPriceApi,
  openPriceReader,
  PYTH_PROGRAMS,
  pythFeeds,
  pythOracle,
} from '@agent-wallet/prices';
import { isAddress, openSolanaChain } from '@agent-wallet/solana';
import { type Check, defineCheck, fail, type Finding, ok, originOf, warn } from './check.js';
import { CHECK_LIMIT_MS } from './examine.js';

const RUNBOOK = 'docs/runbooks/prices-unavailable.md';
const maxAge = (seconds: number) => setting.integer({ min: 1, max: 3_600 }).default(seconds);
const program = (address: string) => setting.text().refine(isAddress, 'must be a base58 address').default(address);

const aggregator = defineCheck({
  name: 'aggregator',
  area: 'prices',
  settings: {
    JUPITER_BASE_URL: setting.url('http', 'https'),
    JUPITER_API_KEY: setting.secret().optional(),
    SOLANA_RPC_URL: setting.url('http', 'https').optional(),
    PRICE_MAX_AGE_SECONDS: maxAge(60),
  },
  advice: `Check JUPITER_BASE_URL and the way to it: ${RUNBOOK}.`,
  async run(settings, { clock }) {
    const { JUPITER_BASE_URL: baseUrl, JUPITER_API_KEY: apiKey, PRICE_MAX_AGE_SECONDS: maxSeconds } = settings;
    const reader = openPriceReader({
      source: openPriceApi({ baseUrl, ...(apiKey && { apiKey }), timeoutMs: CHECK_LIMIT_MS }),
    });
    try {
      const reading = (await reader.prices([WRAPPED_SOL_MINT])).get(WRAPPED_SOL_MINT);
      if (!reading) return fail(`${originOf(baseUrl)} has no price of SOL`, `Check JUPITER_BASE_URL: ${RUNBOOK}.`);
      const pricedAtMs = await blockTimeMs(settings.SOLANA_RPC_URL, reading.blockId);
      return judgeAge(pricedAtMs === null ? null : clock.nowMs() - pricedAtMs, maxSeconds);
    } catch (error) {
      return judgeRefusal(error);
    }
  },
});

/** Returns the time of a block; null when no node is named, or it does not know. */
async function blockTimeMs(rpcUrl: string | undefined, slot: number | null): Promise<number | null> {
  if (!rpcUrl || slot === null) return null;
  const chain = openSolanaChain({ rpcUrl, timeoutMs: CHECK_LIMIT_MS });
  try {
    return await chain.blockTimeMs(slot).catch(() => null);
  } finally {
    chain.close();
  }
}

function judgeAge(ageMs: number | null, maxSeconds: number): Finding {
  if (ageMs === null) return ok('has a price of SOL; its age is not known without its block');
  const seconds = Math.max(0, Math.round(ageMs / 1_000));
  const found = `its price of SOL is ${seconds} s old; PRICE_MAX_AGE_SECONDS is ${maxSeconds}`;
  const advice = `Compare the clocks and the node's lag (the checks of the node), then ${RUNBOOK}.`;
  if (seconds > maxSeconds) return fail(found, advice);
  return seconds > maxSeconds / 2 ? warn(found, advice) : ok(found);
}

function judgeRefusal(error: unknown): Finding {
  const status =
    error instanceof AppError && error.cause instanceof AggregatorStatusError ? error.cause.status : undefined;
  if (status === 401 || status === 403)
    return fail(`rejects the key (HTTP status ${status})`, `Set JUPITER_API_KEY to a valid key: ${RUNBOOK}.`);
  if (status === 429)
    return warn(
      'its rate limit is reached (HTTP status 429)',
      'Lower JUPITER_REQUESTS_PER_MINUTE, or use a key with a higher rate.',
    );
  throw error;
}

const pyth = defineCheck({
  name: 'pyth',
  area: 'prices',
  settings: {
    SOLANA_RPC_URL: setting.url('http', 'https'),
    SOLANA_NETWORK: setting.network(),
    PYTH_ENABLED: setting.flag().default(true),
    PYTH_MAX_AGE_SECONDS: maxAge(180),
    PYTH_PUSH_ORACLE_PROGRAM: program(PYTH_PROGRAMS.pushOracle),
    PYTH_RECEIVER_PROGRAM: program(PYTH_PROGRAMS.receiver),
  },
  advice: 'The accounts are read from the node: see its checks.',
  async run(settings, { clock }) {
    if (!settings.PYTH_ENABLED) return ok('not in use: PYTH_ENABLED is false');
    const programs = { pushOracle: settings.PYTH_PUSH_ORACLE_PROGRAM, receiver: settings.PYTH_RECEIVER_PROGRAM };
    const chain = openSolanaChain({ rpcUrl: settings.SOLANA_RPC_URL, timeoutMs: CHECK_LIMIT_MS });
    try {
      const maxAgeMs = settings.PYTH_MAX_AGE_SECONDS * 1_000;
      const priceClock = { nowMs: async () => clock.nowMs() };
      const { SOLANA_NETWORK: network } = settings;
      const mints = pythFeeds(programs, network).map(({ mint }) => mint);
      const prices = await pythOracle({ programs, network, maxAgeMs, chain, priceClock, clock }).prices(mints);
      return judgeFeeds(mints.map((mint) => [mint, prices.get(mint)]));
    } finally {
      chain.close();
    }
  },
});

function judgeFeeds(feeds: ReadonlyArray<readonly [string, unknown]>): Finding {
  const bad = feeds.flatMap(([mint, result]) =>
    typeof result === 'string' ? [`${symbolOf(mint)} ${result.replace('oracle_', '')}`] : [],
  );
  if (bad.length === 0) return ok(`all ${feeds.length} price accounts are fresh`);
  const found = `${bad.length} of ${feeds.length} price accounts cannot be used: ${bad.join(', ')}`;
  const advice = `Check PYTH_PUSH_ORACLE_PROGRAM, PYTH_RECEIVER_PROGRAM and the clocks: ${RUNBOOK}.`;
  return (bad.length === feeds.length ? fail : warn)(found, advice);
}

function symbolOf(mint: string): string {
  return SOLANA_NETWORKS.flatMap(namedTokens).find((token) => token.mint === mint)?.symbol ?? mint;
}

/** Checks of the sources of prices. */
export const PRICE_CHECKS: readonly Check[] = [aggregator, pyth];
