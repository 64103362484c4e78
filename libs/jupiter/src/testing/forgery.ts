import type { intentV1 } from '@agent-wallet/contracts';
import { resolvedAddressesHash } from '../messages/lookup-tables.js';
import { JUPITER_PROGRAM, ORDER_ENGINE_PROGRAM } from '../programs.js';
import { compile, type Compiled, type Draft, type DraftInstruction } from './draft.js';
import { type Scenario, swapOf } from './scenarios.js';

/** A swap that does something else than its scenario's intent, by what is wrong with it. */
export interface Forgery extends Compiled {
  readonly name: string;
  /** Another one than the scenario's; undefined for the same. */
  readonly intent?: intentV1.Intent;
}

/** Returns an intent with another swap. */
export function withSwap(intent: intentV1.Intent, change: Partial<intentV1.Swap>): intentV1.Intent {
  return { ...intent, action: { $case: 'swap', value: { ...swapOf(intent), ...change } } };
}

/**
 * Compiles a message from a changed draft, under a permit for the very addresses that its tables add. In this worst
 * case, only the message itself is evidence.
 */
export function forge(name: string, { draft, intent }: Scenario, change: Partial<Draft>): Forgery {
  const compiled = compile({ ...draft, ...change });
  return { name, ...compiled, intent: permitted(intent, compiled.resolvedAddresses) };
}

/** Returns an intent with the hash of the given addresses. */
export function permitted(intent: intentV1.Intent, addresses: readonly Uint8Array[]): intentV1.Intent {
  return withSwap(intent, { resolvedAddressesHash: resolvedAddressesHash(addresses) });
}

/** Returns the index of the trade among the instructions. */
export function tradeAt({ draft }: Scenario): number {
  return draft.instructions.findIndex(({ program }) => [JUPITER_PROGRAM, ORDER_ENGINE_PROGRAM].includes(program));
}

/** Returns the number of an instruction's named accounts; those after them belong to the venues of a route. */
export function namedAccounts({ program, accounts, data }: DraftInstruction): number {
  if (program === ORDER_ENGINE_PROGRAM) return 11;
  if (program !== JUPITER_PROGRAM) return accounts.length;
  return data[0] === 0xbb ? 10 : 12;
}

/**
 * Reports whether a forger may choose this named account without harming the wallet: it is the maker's or the
 * aggregator's.
 */
export function isTheirs({ program, data }: DraftInstruction, at: number): boolean {
  if (program === ORDER_ENGINE_PROGRAM) return at === 3 || at === 5;
  return program === JUPITER_PROGRAM && data[0] === 0xd1 && (at === 3 || at === 4);
}
