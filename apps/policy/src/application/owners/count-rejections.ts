import { AppError } from '@agent-wallet/kernel';
import { ATTRIBUTES, count, METRICS } from '@agent-wallet/telemetry';
import { RejectedAssertion } from '../../domain/owners/rejected-assertion.js';

/** Does what a passkey signs for, and counts it when the passkey is rejected. */
export async function countRejections<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AppError && error.cause instanceof RejectedAssertion) {
      count(METRICS.assertionsRejected, { attributes: { [ATTRIBUTES.rejection.name]: error.cause.rejection } });
    }
    throw error;
  }
}
