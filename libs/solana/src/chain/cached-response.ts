import type { Clock } from '@agent-wallet/kernel';
import type { Freshness } from './solana-chain.js';

/**
 * Keeps the last answer of a question for callers that take one of some age. They share a question that is under
 * way; a caller that names no age always asks by itself.
 */
export function cachedResponse<Answer>(
  clock: Clock,
  ask: () => Promise<Answer>,
): (freshness?: Freshness) => Promise<Answer> {
  let kept: { askedAtMs: number; answer: Promise<Answer> } | undefined;
  return ({ maxAgeMs } = {}) => {
    const nowMs = clock.nowMs();
    if (maxAgeMs !== undefined && kept && Math.abs(nowMs - kept.askedAtMs) <= maxAgeMs) return kept.answer;
    const asked = { askedAtMs: nowMs, answer: ask() };
    kept = asked;
    asked.answer.catch(() => {
      if (kept === asked) kept = undefined;
    });
    return asked.answer;
  };
}
