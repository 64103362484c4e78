import { buyContracts } from './buy-contracts.js';
import type { DefinedAction } from './define-action.js';
import { sellContracts } from './sell-contracts.js';
import { trade } from './trade.js';
import { transfer } from './transfer.js';
import { unwrapSol } from './unwrap-sol.js';
import { withdrawPredictionBalance } from './withdraw-prediction-balance.js';

/** Every action that moves money. */
export const ACTIONS: readonly DefinedAction[] = [
  transfer,
  trade,
  unwrapSol,
  buyContracts,
  sellContracts,
  withdrawPredictionBalance,
];
