import { AppError } from '@agent-wallet/kernel';
import { isSignature } from '@agent-wallet/solana';
import { z } from 'zod';
import type { LandedSignatures } from '../ports/chain.js';

const PAGE_COUNT = 1_000;
/** Further back is not looked: each signature costs a call. */
const MAX_SIGNATURES = 1_000;
const TIMEOUT_MS = 10_000;

const answerShape = z.object({
  result: z.array(z.object({ signature: z.string().refine(isSignature), slot: z.number().int().nonnegative() })),
});

/** What landed, by a node's getSignaturesForAddress. */
export class RpcLandedSignatures implements LandedSignatures {
  constructor(private readonly rpcUrl: string) {}

  async naming(address: string, { sinceSlot, atSlot }: { sinceSlot: number; atSlot: number }) {
    const found: string[] = [];
    for (;;) {
      const before = found.at(-1);
      const page = await this.#page(address, { before, atSlot });
      const recent = page.filter(({ slot }) => slot >= sinceSlot);
      found.push(...recent.map(({ signature }) => signature));
      if (recent.length < page.length || page.length < PAGE_COUNT)
        return found.length > MAX_SIGNATURES ? undefined : found;
      if (found.length > MAX_SIGNATURES) return undefined;
    }
  }

  /** Newest first. A node that has not finalized `atSlot` must refuse. */
  async #page(address: string, { before, atSlot }: { before: string | undefined; atSlot: number }) {
    const options = { commitment: 'finalized', limit: PAGE_COUNT, minContextSlot: atSlot, before };
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'getSignaturesForAddress',
      params: [address, options],
    });
    try {
      const response = await fetch(this.rpcUrl, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      if (response.status !== 200) throw new Error(`the node answered with HTTP status ${response.status}`);
      return answerShape.parse(await response.json()).result;
    } catch (error) {
      const isTimeout = error instanceof Error && error.name === 'TimeoutError';
      throw new AppError(isTimeout ? 'UPSTREAM_TIMEOUT' : 'UPSTREAM_ERROR', { cause: error });
    }
  }
}
