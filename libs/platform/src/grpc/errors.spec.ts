import { rpcErrorDetails, rpcStatus } from '@agent-wallet/contracts';
import { AppError } from '@agent-wallet/kernel';
import { describe, expect, it } from '@jest/globals';
import { toServiceError } from './errors.js';

function retryInfoOf(error: AppError): rpcErrorDetails.RetryInfo | undefined {
  const [encoded] = toServiceError(error).metadata.get('grpc-status-details-bin');
  const { details } = rpcStatus.Status.decode(encoded as Buffer);
  const detail = details.find(({ typeUrl }) => typeUrl === 'type.googleapis.com/google.rpc.RetryInfo');
  return detail && rpcErrorDetails.RetryInfo.decode(detail.value);
}

describe('an error that says when to come back', () => {
  it('says so to callers in the usual way', () => {
    const busy = (retryAfterSeconds: number) => new AppError('SERVICE_UNAVAILABLE', { data: { retryAfterSeconds } });
    expect(retryInfoOf(busy(7))).toEqual({ retryDelay: { seconds: 7n, nanos: 0 } });
    expect(retryInfoOf(busy(6.2))).toEqual({ retryDelay: { seconds: 7n, nanos: 0 } });
    expect(retryInfoOf(new AppError('SERVICE_UNAVAILABLE'))).toBeUndefined();
  });
});
