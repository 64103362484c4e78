import type { MessageLimits } from '@agent-wallet/solana/checks';
import { changedIntents } from './changed-intents.js';
import { compile } from './draft.js';
import { forgedAccounts } from './forged-accounts.js';
import { forgedBytes } from './forged-bytes.js';
import { forgedData } from './forged-data.js';
import { forgedInstructions } from './forged-instructions.js';
import { forgedSponsorship } from './forged-sponsorship.js';
import { forgedTables } from './forged-tables.js';
import { scenarios } from './scenarios.js';
import type { SwapCase } from './swap-case.js';

/** The limits that the corpus is made for. */
export const SWAP_CORPUS_LIMITS: MessageLimits = { maxNetworkFeeLamports: 100_000n };

/** Swaps that must be signed: every form there is. The wallet and the sponsor are any wallets' addresses. */
export function honestSwaps(wallet: string, sponsor?: string): SwapCase[] {
  return scenarios(wallet, sponsor).map(({ name, intent, draft }) => ({
    scenario: name,
    name,
    intent,
    ...compile(draft),
  }));
}

/** Swaps that must never be signed under their intents, because they do something else. */
export function forgedSwaps(wallet: string, sponsor?: string): SwapCase[] {
  return scenarios(wallet, sponsor).flatMap((scenario) => {
    const forgeries = [
      ...forgedInstructions(scenario),
      ...forgedAccounts(scenario),
      ...forgedData(scenario),
      ...forgedTables(scenario),
      ...forgedBytes(scenario),
      ...forgedSponsorship(scenario),
      ...changedIntents(scenario),
    ];
    return forgeries.map(({ name, intent = scenario.intent, ...compiled }) => ({
      scenario: scenario.name,
      name: `${scenario.name}: ${name}`,
      intent,
      ...compiled,
    }));
  });
}

export { type ChainAccounts, corpusAccounts, type LyingSwap, lyingSwaps, tablesFor } from './lying-swaps.js';
export { ownedAccounts } from './owned-accounts.js';
export { randomSwaps } from './random-swaps.js';
export { honestMessage } from './scenarios.js';
export type { SwapCase } from './swap-case.js';
