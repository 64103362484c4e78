import type { Clock } from '@agent-wallet/kernel';
import type { Logger } from '@agent-wallet/platform';
import type { PriceReader } from '@agent-wallet/prices';
import type { Books } from '../../ports/books.js';
import type { Exchange } from '../../ports/exchange.js';
import type { GivenUpOrders } from '../../ports/given-up-orders.js';
import type { PolicySwitch } from '../../ports/policy-switch.js';
import type { Wallet } from '../../ports/wallet.js';
import type { OrderPace } from './pace.js';

/** Everything that operations on prediction money work with. */
export interface OperationParts {
  readonly exchange: Exchange;
  readonly books: Books;
  readonly givenUp: Pick<GivenUpOrders, 'has'>;
  readonly wallet: Wallet;
  readonly policies: PolicySwitch;
  readonly prices: PriceReader;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly pace: OrderPace;
  /** By how much an order's limit may be worse than what the book shows, in micro-dollars. */
  readonly toleranceUsdMicros: bigint;
}
