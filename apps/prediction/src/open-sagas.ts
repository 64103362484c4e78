import { BuySaga } from './application/buy/buy-saga.js';
import { PlanBuy } from './application/buy/plan-buy.js';
import { Moves } from './application/moves/moves.js';
import { Payouts } from './application/moves/payouts.js';
import { OperatorsMoney } from './application/orders/operators-money.js';
import { OrderPlacing } from './application/orders/order-placing.js';
import { Posting } from './application/orders/posting.js';
import type { OperationDependencies } from './application/operations/dependencies.js';
import { PlanSell } from './application/sell/plan-sell.js';
import { SellSaga } from './application/sell/sell-saga.js';
import { WithdrawSaga } from './application/withdraw/withdraw-saga.js';

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
  const { ledger, clock, timing, policies, wallet, minWithdrawalUsdMicros } = dependencies;
  const money = new OperatorsMoney(dependencies);
  const planBuy = new PlanBuy(dependencies, money);
  const planSell = new PlanSell(dependencies, money);
  const moves = new Moves(wallet, timing.moveWaitMs);
  const shared = {
    ledger,
    clock,
    timing,
    policies,
    moves,
    payouts: new Payouts(moves, ledger, timing.payoutPauseMs),
    placing: new OrderPlacing(dependencies),
    posting: new Posting(dependencies),
  };
  return {
    buys: new BuySaga({ ...shared, planBuy }),
    sales: new SellSaga({ ...shared, planSell }),
    withdrawals: new WithdrawSaga({ ...shared, money, minWithdrawalUsdMicros }),
    planBuy,
    planSell,
  };
}
