/** Why the exchange does not do what it is asked; codes as its API spells them. */
export type RefusalCode =
  | 'invalid_order'
  | 'invalid_price'
  | 'missing_parameters'
  | 'bad_request'
  | 'insufficient_balance'
  | 'not_found'
  | 'fill_or_kill_insufficient_resting_volume'
  | 'order_already_exists'
  | 'MARKET_INACTIVE'
  | 'TRADING_PAUSED'
  | 'EXCHANGE_PAUSED';

const STATUS: Readonly<Record<RefusalCode, number>> = {
  invalid_order: 400,
  invalid_price: 400,
  missing_parameters: 400,
  bad_request: 400,
  insufficient_balance: 400,
  not_found: 404,
  fill_or_kill_insufficient_resting_volume: 409,
  order_already_exists: 409,
  MARKET_INACTIVE: 409,
  TRADING_PAUSED: 409,
  EXCHANGE_PAUSED: 409,
};

/** A request that the exchange refuses for good; nothing has changed. */
export class Refusal extends Error {
  readonly status: number;

  constructor(
    readonly code: RefusalCode,
    message: string = code,
  ) {
    super(message);
    this.name = 'Refusal';
    this.status = STATUS[code];
  }
}
