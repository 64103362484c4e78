import { BuyKind } from '../buy/buy-kind.js';
import { PlanBuy } from '../buy/plan-buy.js';
import { Moves } from '../moves/moves.js';
import { Payouts } from '../moves/payouts.js';
import { OperatorsMoney } from '../orders/operators-money.js';
import { OrderPlacing } from '../orders/order-placing.js';
import { Posting } from '../orders/posting.js';
import type { OperationDependencies } from './dependencies.js';
import { PlanSell } from '../sell/plan-sell.js';
import { SellKind } from '../sell/sell-kind.js';
import { WithdrawKind } from '../withdraw/withdraw-kind.js';

/** The kinds of operations of the prediction service, and what previews share with them. */
export interface OperationKinds {
  readonly buys: BuyKind;
  readonly sales: SellKind;
  readonly withdrawals: WithdrawKind;
  readonly planBuy: PlanBuy;
  readonly planSell: PlanSell;
}

/** Puts the kinds of operations together. */
export function openOperations(parts: OperationDependencies): OperationKinds {
  const { books, clock, pace, policies, wallet } = parts;
  const money = new OperatorsMoney(parts);
  const planBuy = new PlanBuy(parts, money);
  const planSell = new PlanSell(parts, money);
  const moves = new Moves(wallet, pace.moveWaitMs);
  const shared = {
    ...{ books, clock, pace, policies, moves },
    payouts: new Payouts(moves, books, pace.payoutPauseMs),
    placing: new OrderPlacing(parts),
    posting: new Posting(parts),
  };
  return {
    buys: new BuyKind({ ...shared, planBuy }),
    sales: new SellKind({ ...shared, planSell }),
    withdrawals: new WithdrawKind({ ...shared, money }),
    planBuy,
    planSell,
  };
}
