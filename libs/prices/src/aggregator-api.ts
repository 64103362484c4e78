import { callUpstream, upstreamMethodOf } from '@agent-wallet/telemetry';
import { AppError, clamp, type Clock, isTimeout, readText, type Secret } from '@agent-wallet/kernel';

/** Connection options of the aggregator. */
interface AggregatorApiOptions {
  readonly baseUrl: string;
  readonly apiKey?: Secret<string>;
  readonly timeoutMs: number;
  readonly clock: Clock;
}

/** The aggregator's API as it speaks: texts of JSON. */
export interface AggregatorApi {
  /** Returns the response of a path. @throws AppError UPSTREAM_ERROR or UPSTREAM_TIMEOUT */
  text(path: string): Promise<string>;
}

/** A response of the aggregator with another HTTP status than 200. It is the `cause` of the AppError. */
export class AggregatorStatusError extends Error {
  constructor(readonly status: number) {
    super(`the aggregator answered with HTTP status ${status}`);
    this.name = 'AggregatorStatusError';
  }
}

/** 50 prices take about 10 kB, 20 tokens about 50 kB. */
const MAX_RESPONSE_BYTES = 1024 * 1024;
/** Pause after a 429 that names no time, in milliseconds. */
const DEFAULT_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 10_000;

/** Prepares the API; nothing is sent before the first question. @throws TypeError when the URL is none */
export function openAggregatorApi({ baseUrl, apiKey, timeoutMs, clock }: AggregatorApiOptions): AggregatorApi {
  if (!URL.canParse(baseUrl)) throw new TypeError('the address of the aggregator is not a URL');
  const { href, hostname: host } = new URL(baseUrl);
  const root = href.replace(/\/+$/, '');
  let quietUntilMs = -Infinity;

  const exchange = async (path: string): Promise<string> => {
    const response = await fetch(root + path, {
      headers: { accept: 'application/json', ...(apiKey ? { 'x-api-key': apiKey.reveal() } : {}) },
      // A redirect would take the key to another host.
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    });
    if (response.status === 429) quietUntilMs = clock.nowMs() + pauseMs(response.headers, clock);
    if (response.status !== 200) {
      await response.body?.cancel();
      throw new AggregatorStatusError(response.status);
    }
    return readText(response, MAX_RESPONSE_BYTES);
  };

  return {
    text: async (path) => {
      try {
        if (clock.nowMs() < quietUntilMs) throw new Error('the aggregator asked for a pause');
        return await callUpstream({ upstream: 'aggregator', method: upstreamMethodOf(path), host }, () =>
          exchange(path),
        );
      } catch (error) {
        throw new AppError(isTimeout(error) ? 'UPSTREAM_TIMEOUT' : 'UPSTREAM_ERROR', { cause: error });
      }
    },
  };
}

/** Returns the pause after a 429. The API names the second at which its window ends. */
function pauseMs(headers: Headers, clock: Clock): number {
  const resetMs = Number(headers.get('x-ratelimit-reset') ?? NaN) * 1000 - clock.nowMs();
  return Number.isFinite(resetMs) ? clamp(resetMs, DEFAULT_PAUSE_MS, MAX_PAUSE_MS) : DEFAULT_PAUSE_MS;
}
