import type { Buy } from './buy/buy.js';
import type { PreviewOrder } from './previews/preview-order.js';
import type { ReadMoney } from './read/read-money.js';
import type { Sell } from './sell/sell.js';
import type { Withdraw } from './withdraw/withdraw.js';

/** What the prediction service does with agents' money. */
export interface PredictionUseCases {
  readonly buy: Buy;
  readonly sell: Sell;
  readonly withdraw: Withdraw;
  readonly previewOrder: PreviewOrder;
  readonly readMoney: ReadMoney;
}

/** Under which Nest finds them. */
export const PREDICTION_USE_CASES = Symbol('the use cases of the prediction service');
