import type { components } from '@agent-wallet/sdk';
import type { JsonResponse } from './http-json.js';

/** Schemas of `/openapi.json`. */
export type Schemas = components['schemas'];

/** The public API's envelope: with `Data` for a success, with a failure's fields otherwise. */
export interface Envelope<Data> {
  readonly status: boolean;
  readonly statusCode: number;
  readonly message: string;
  /** Data of the response; fields that a status does not have are undefined. */
  readonly data: Data & Partial<Failure>;
}

/** Fields that describe a failure to an agent, with its next step. */
interface Failure {
  readonly code: string;
  readonly requestId: string;
  readonly retryable: boolean;
  readonly rule: string;
  readonly suggestion: string;
  /** Fee that the network took for a transaction that landed with an error. */
  readonly networkFeeLamports: number;
  /** Signatures of the transaction that took USDC for a failed order, and of its refund. */
  readonly signature: string | null;
  readonly refundSignature: string | null;
}

/** An answer in the public API's envelope. */
export type ClientResponse<Data> = JsonResponse<Envelope<Data>>;

/** A result, or the shape of a duplicate (specification 2.7). */
export type Repeated<Result> = Result & { readonly cached?: boolean; readonly originalResponse?: Result };

/** A record of history, of any action. */
export type HistoryRecord = Schemas['TransactionFields'] & {
  readonly action: string;
  readonly metadata: Readonly<Record<string, unknown>>;
};

export interface HistoryPage {
  readonly transactions: readonly HistoryRecord[];
  readonly pagination: Schemas['Pagination'];
}

export type TransferData = Repeated<Schemas['TransferResult']>;
export type TradeData = Repeated<Schemas['TradeResult']>;
export type AdditionResult = Schemas['AddLiquidityResult'];
export type RemovalResult = Schemas['RemoveLiquidityResult'];
export type BuyResult = Schemas['BuyContractsResult'];
export type SellResult = Schemas['SellContractsResult'];
