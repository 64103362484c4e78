import type { Level, MarketResult, MarketSpec, Quotes } from './market-state.js';
import type { BookSide, SelfTradePrevention, TimeInForce } from './records.js';

/** An order of the operator's account as it came. */
export interface OrderRequest {
  readonly ticker: string;
  readonly clientOrderId: string;
  readonly side: BookSide;
  readonly hundredths: bigint;
  /** On the scale of YES. */
  readonly priceMicros: bigint;
  readonly timeInForce: TimeInForce;
  readonly selfTradePrevention: SelfTradePrevention;
  readonly expiresMs?: number | undefined;
  readonly isPostOnly?: boolean | undefined;
  readonly isReduceOnly?: boolean | undefined;
  readonly cancelsOnPause?: boolean | undefined;
}

/** An order with what the exchange gave it. */
export interface PlacedOrder extends OrderRequest {
  readonly orderId: string;
  /** No more than this is filled at once (a fault). */
  readonly fillAtMostHundredths?: bigint | undefined;
}

export type AdminStatus = 'open' | 'paused' | 'closed';

/** What is done to the exchange. Each is checked before it is written down, and cannot fail afterwards. */
export type Command =
  | { readonly kind: 'opened'; readonly cashMicros: bigint }
  | { readonly kind: 'market'; readonly spec: MarketSpec }
  | { readonly kind: 'quotes'; readonly ticker: string; readonly quotes: Quotes }
  | { readonly kind: 'status'; readonly ticker: string; readonly status: AdminStatus }
  | { readonly kind: 'trading'; readonly isActive: boolean }
  | {
      readonly kind: 'determined';
      readonly ticker: string;
      readonly result: MarketResult;
      readonly valueCents?: number | undefined;
      readonly isFinal: boolean;
    }
  | { readonly kind: 'cash'; readonly deltaMicros: bigint }
  | { readonly kind: 'order'; readonly order: PlacedOrder }
  | { readonly kind: 'reduced'; readonly orderId: string; readonly toHundredths: bigint };

/** A command with the time at which it took effect. */
export interface CommandRecord {
  readonly timeMs: number;
  readonly command: Command;
}

export function encodeCommand(record: CommandRecord): Buffer {
  const text = JSON.stringify(record, (_name, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  );
  return Buffer.from(text);
}

export function decodeCommand(payload: Buffer): CommandRecord {
  return JSON.parse(payload.toString(), revive) as CommandRecord;
}

/** Names say what is money or a count. */
function revive(name: string, value: unknown): unknown {
  if (/(Micros|[hH]undredths)$/.test(name)) return BigInt(value as string);
  if (name === 'yesBids' || name === 'noBids') {
    return (value as Array<[string, string]>).map(([price, count]): Level => [BigInt(price), BigInt(count)]);
  }
  return value;
}
