import { AppError, invalidCursor, isTimeout, jsonOf, OpenCalls, readText } from '@agent-wallet/kernel';
import { CPMM_PROGRAM, isAddress } from '@agent-wallet/solana';
import { callUpstream } from '@agent-wallet/telemetry';
import { z } from 'zod';
import type { PoolDirectory, PoolPage } from '../ports/pool-directory.js';

/** The venue's own names of pages. */
const CURSOR = /^[\w-]{1,200}$/;

const address = z.string().refine(isAddress);
const listed = z.object({ id: address, programId: z.string() });
const pageResponse = z.object({
  success: z.literal(true),
  data: z.object({ data: z.array(listed), nextPageId: z.string().regex(CURSOR).optional() }),
});
/** A mint without a pool is answered with null. */
const byLpResponse = z.object({
  success: z.literal(true),
  data: z.array(listed.extend({ lpMint: z.object({ address }) }).nullable()),
});

const TIMEOUT_MS = 5_000;
const MAX_RESPONSE_BYTES = 4 * 1024 * 1024;
/** Time limit of look-ups: reads of balances wait for them. */
const LOOK_UP_TIMEOUT_MS = 1_500;

/**
 * Raydium's list of pools over HTTP (`/pools/info/list-v2`, `/pools/info/lps`), without a key. Its "Standard" pools include
 * those of an older program, which are left out. Nothing else that it says is used.
 */
export class RaydiumDirectory implements PoolDirectory {
  readonly #calls = new OpenCalls();
  readonly #root: string;
  readonly #host: string;

  constructor(baseUrl: string) {
    const { href, hostname } = new URL(baseUrl);
    this.#root = href.replace(/\/+$/, '');
    this.#host = hostname;
  }

  async list(query: Parameters<PoolDirectory['list']>[0]): Promise<PoolPage> {
    const { mints, limit, cursor } = query;
    if (cursor !== '' && !CURSOR.test(cursor)) throw invalidCursor();
    const parameters = new URLSearchParams({
      ...{ size: String(limit), poolType: 'Standard', sortField: 'liquidity', sortType: 'desc' },
      ...Object.fromEntries(mints.map((mint, i) => [`mint${i + 1}`, mint])),
      ...(cursor === '' ? {} : { nextPageId: cursor }),
    });
    const answer = await this.#get(`/pools/info/list-v2?${parameters.toString()}`, pageResponse);
    // The venue names its pages itself, and refuses a name that it did not give.
    if (!answer) throw cursor === '' ? new AppError('UPSTREAM_ERROR') : invalidCursor();
    const { data } = answer;
    const pools = data.data.filter(({ programId }) => programId === CPMM_PROGRAM).map(({ id }) => id);
    return { pools, cursor: data.nextPageId ?? '' };
  }

  async byLpMint(lpMints: readonly string[]): Promise<ReadonlyMap<string, string>> {
    if (lpMints.length === 0) return new Map();
    const path = `/pools/info/lps?lps=${lpMints.join(',')}`;
    const answer = await this.#get(path, byLpResponse, LOOK_UP_TIMEOUT_MS);
    if (!answer) throw new AppError('UPSTREAM_ERROR');
    const found = answer.data.flatMap((pool) => (pool?.programId === CPMM_PROGRAM ? [pool] : []));
    return new Map(found.map(({ id, lpMint }) => [lpMint.address, id]));
  }

  /** Breaks off what is under way. */
  close(): void {
    this.#calls.close();
  }

  /** Returns undefined when the venue refuses the query. */
  #get<Body>(path: string, schema: z.ZodType<Body>, timeoutMs = TIMEOUT_MS): Promise<Body | undefined> {
    const method = path.split('?', 1)[0]!;
    return callUpstream({ upstream: 'venue', method, host: this.#host }, () =>
      this.#calls.within(timeoutMs, async (signal) => {
        try {
          const response = await fetch(this.#root + path, {
            headers: { accept: 'application/json' },
            redirect: 'error',
            signal,
          });
          if (response.status === 400) return undefined;
          const body = jsonOf(await readText(response, MAX_RESPONSE_BYTES));
          return schema.parse(response.ok ? body : undefined);
        } catch (error) {
          throw new AppError(isTimeout(error) ? 'UPSTREAM_TIMEOUT' : 'UPSTREAM_ERROR', { cause: error });
        }
      }),
    );
  }
}
