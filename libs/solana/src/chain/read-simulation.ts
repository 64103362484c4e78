import { readAccountList } from './read-accounts.js';
import { readError } from './read-transaction.js';
import { readArray, readAtSlot, readCount, readFields, readText, ShapeError } from './shapes.js';
import type { Simulation } from './solana-chain.js';

/** Reads the result of simulateTransaction, with the requested number of accounts in base64. @throws ShapeError */
export function readSimulation(result: unknown, accountCount: number): Simulation {
  const { slot, value } = readAtSlot(result);
  const { err, logs, accounts, unitsConsumed } = readFields(value, 'the simulation');
  if (err === undefined) throw new ShapeError('the simulation does not say whether there was an error');
  const error = readError(err);
  return {
    slot,
    error,
    logs: isAbsent(logs) ? [] : readArray(logs, 'the logs').map((line) => readText(line, 'a line of the logs')),
    // What fails before it begins consumes nothing, and some nodes then say nothing.
    unitsConsumed: error !== null && isAbsent(unitsConsumed) ? 0 : readCount(unitsConsumed, 'the units consumed'),
    // After an error nodes answer null for each account, which is not what would be there.
    accounts: error !== null || accountCount === 0 ? [] : readAccountList(accounts, accountCount),
  };
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}
