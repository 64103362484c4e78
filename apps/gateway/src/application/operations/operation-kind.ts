import type { walletV1 } from '@agent-wallet/contracts';
import type { RequestInput } from '../../domain/request-hash.js';
import type { ExactJson } from '../answers/exact-json.js';

/** Asks the owning service to do an operation, or what became of it. */
export interface OperationOrder {
  readonly operationId: string;
  readonly agentId: string;
  readonly input: RequestInput;
  /** How long the service may wait for the outcome. */
  readonly waitMs: number;
  /** When to stop waiting for the service. */
  readonly deadlineMs: number;
  /** Whether an operation that has not begun never may: it ends as TRANSACTION_EXPIRED. */
  readonly onlyIfBegun: boolean;
}

/** How far an operation is. */
export type OperationProgress =
  | { readonly state: 'submitted'; readonly signature: string }
  | { readonly state: 'confirmed'; readonly signature: string; readonly message: string; readonly data: ExactJson };

/** What an operation would come to, before anything of it happens. */
export interface OperationPreview {
  /** The fields of a confirmed answer that are known without doing it. */
  readonly data: Readonly<Record<string, ExactJson>>;
  readonly preview: walletV1.Preview;
}

/** One kind of financial operation: what the idempotent machinery needs to know of it. */
export interface OperationKind {
  /** As history names it. */
  readonly action: string;
  /** Whether `status` of its answers is an order's; how the operation stands is then `transactionStatus`. */
  readonly isOrder?: boolean;
  /** @throws AppError when the owning service cannot be reached: nothing was sent */
  reach(): Promise<void>;
  /** @throws AppError when the operation failed, OutcomeUnknown when there was no answer */
  perform(order: OperationOrder): Promise<OperationProgress>;
}

/** A kind that can be looked at before. */
export interface PreviewableKind extends OperationKind {
  /** Looks, and does nothing. @throws AppError as perform would, except for a refusal by policy */
  preview(order: { readonly agentId: string; readonly input: RequestInput }): Promise<OperationPreview>;
}
