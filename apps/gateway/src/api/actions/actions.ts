import type { OperationActionName } from '@agent-wallet/events';
import type { Route } from '../route.js';
import { addLiquidity } from './add-liquidity.js';
import { buyContracts } from './buy-contracts.js';
import type { DefinedAction } from './define-action.js';
import { removeLiquidity } from './remove-liquidity.js';
import { sellContracts } from './sell-contracts.js';
import { trade } from './trade.js';
import { transfer } from './transfer.js';
import { unwrapSol } from './unwrap-sol.js';
import { withdrawPredictionBalance } from './withdraw-prediction-balance.js';

/** Every action that moves money: routes, the resolver and history take them from here. */
export const ACTIONS = {
  transfer,
  unwrap_sol: unwrapSol,
  trade,
  liquidity_add: addLiquidity,
  liquidity_remove: removeLiquidity,
  prediction_buy: buyContracts,
  prediction_sell: sellContracts,
  prediction_withdrawal: withdrawPredictionBalance,
} as const satisfies Readonly<Partial<Record<OperationActionName, DefinedAction>>>;

/** Returns the routes of the actions in an area. */
export function actionRoutes(area: Route['area']): Route[] {
  return Object.values(ACTIONS).flatMap(({ route }) => (route.area === area ? [route] : []));
}
