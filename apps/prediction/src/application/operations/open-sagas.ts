import { BuySaga } from '../buy/buy-saga.js';
import { PlanBuy } from '../buy/plan-buy.js';
import { Moves } from '../moves/moves.js';
import { Payouts } from '../moves/payouts.js';
import { OperatorsMoney } from '../orders/operators-money.js';
import { OrderPlacing } from '../orders/order-placing.js';
import { Posting } from '../orders/posting.js';
import type { OperationDependencies } from './dependencies.js';
import { PlanSell } from '../sell/plan-sell.js';
import { SellSaga } from '../sell/sell-saga.js';
import { WithdrawSaga } from '../withdraw/withdraw-saga.js';

/** The sagas of the prediction service, and what dry runs share with them. */
export interface OperationSagas {
  readonly buys: BuySaga;
  readonly sales: SellSaga;
  readonly withdrawals: WithdrawSaga;
  readonly planBuy: PlanBuy;
  readonly planSell: PlanSell;
}

/** Puts the sagas together. */
export function openSagas(dependencies: OperationDependencies): OperationSagas {
  const { ledger, clock, timing, policies, wallet } = dependencies;
  const money = new OperatorsMoney(dependencies);
  const planBuy = new PlanBuy(dependencies, money);
  const planSell = new PlanSell(dependencies, money);
  const moves = new Moves(wallet, timing.moveWaitMs);
  const shared = {
    ...{ ledger, clock, timing, policies, moves },
    payouts: new Payouts(moves, ledger, timing.payoutPauseMs),
    placing: new OrderPlacing(dependencies),
    posting: new Posting(dependencies),
  };
  return {
    buys: new BuySaga({ ...shared, planBuy }),
    sales: new SellSaga({ ...shared, planSell }),
    withdrawals: new WithdrawSaga({ ...shared, money }),
    planBuy,
    planSell,
  };
}
