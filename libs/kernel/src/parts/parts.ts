/**
 * Parts that a deployment has or lacks by its configuration, each with upstreams of its own. Every deployment has
 * transfers, which need a node alone. Trading needs an aggregator, liquidity an aggregator and a list of pools, and
 * predictions an exchange.
 */
export const PARTS = ['transfers', 'trading', 'liquidity', 'predictions'] as const;

export type Part = (typeof PARTS)[number];

/** Reports whether a text names a part. */
export function isPart(text: string): text is Part {
  return (PARTS as readonly string[]).includes(text);
}
