import { BASIC, type Tier } from './quota.js';

/** Above the basic tier the bucket of writes holds two seconds' worth (kalshi.md, section 8). */
function tier(name: string, readPerSecond: number, writePerSecond: number): Tier {
  return {
    name,
    read: { refillPerSecond: readPerSecond, capacity: readPerSecond },
    write: { refillPerSecond: writePerSecond, capacity: writePerSecond * 2 },
  };
}

/** What an account may be given to use, in tokens a second. */
export const TIERS = {
  basic: BASIC,
  advanced: tier('advanced', 300, 300),
  premier: tier('premier', 1_000, 1_000),
  paragon: tier('paragon', 2_000, 2_000),
  prime: tier('prime', 4_000, 4_000),
} as const satisfies Readonly<Record<string, Tier>>;

export type TierName = keyof typeof TIERS;
