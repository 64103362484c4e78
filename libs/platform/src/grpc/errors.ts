import { rpcErrorDetails, rpcStatus } from '@agent-wallet/contracts';
import { AppError, errorEntry, type Fact, type Facts, isErrorCode, type Problem } from '@agent-wallet/kernel';
import { Metadata, status, type ServiceError } from '@grpc/grpc-js';

const DOMAIN = 'agent-wallet';
const DETAILS_KEY = 'grpc-status-details-bin';
const ERROR_INFO_URL = 'type.googleapis.com/google.rpc.ErrorInfo';
const BAD_REQUEST_URL = 'type.googleapis.com/google.rpc.BadRequest';
const RETRY_INFO_URL = 'type.googleapis.com/google.rpc.RetryInfo';

/**
 * A call that got no answer of the service itself: no connection, a deadline, a broken stream. The caller does not
 * know whether the other side did the work.
 */
export class RpcFailure extends Error {
  constructor(
    readonly method: string,
    /** gRPC status code. */
    readonly status: number,
    cause: unknown,
  ) {
    super(`${method} got no answer (${status})`, { cause });
    this.name = 'RpcFailure';
  }
}

/** Converts an error to what a server sends: catalogue errors in full, everything else as INTERNAL_ERROR. */
export function toServiceError(error: unknown): Pick<ServiceError, 'code' | 'details' | 'metadata'> {
  const known = toAppError(error);
  const entry = errorEntry(known.code);
  const metadata = new Metadata();
  metadata.set(DETAILS_KEY, encodeDetails(known, entry.grpc));
  return { code: entry.grpc, details: known.message, metadata };
}

/** Converts an unknown error to a catalogue error, with the original as its cause. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof RpcFailure) {
    return new AppError(error.status === status.DEADLINE_EXCEEDED ? 'UPSTREAM_TIMEOUT' : 'SERVICE_UNAVAILABLE', {
      cause: error,
    });
  }
  return new AppError('INTERNAL_ERROR', { cause: error });
}

/** Converts a failed call to the service's own AppError, or to an RpcFailure when it sent none. */
export function fromServiceError(method: string, error: ServiceError): AppError | RpcFailure {
  const [encoded] = error.metadata?.get(DETAILS_KEY) ?? [];
  return (Buffer.isBuffer(encoded) ? decodeDetails(encoded) : undefined) ?? new RpcFailure(method, error.code, error);
}

function encodeDetails(error: AppError, code: number): Buffer {
  const metadata = encodeFacts(error.data);
  const info = rpcErrorDetails.ErrorInfo.encode({ reason: error.code, domain: DOMAIN, metadata });
  const details = [{ typeUrl: ERROR_INFO_URL, value: Buffer.from(info.finish()) }];
  if (error.details.length > 0) {
    const fieldViolations = error.details.map(({ field, reason: description, problem }) => {
      return { field, description, reason: problem.toUpperCase() };
    });
    const badRequest = rpcErrorDetails.BadRequest.encode({ fieldViolations });
    details.push({ typeUrl: BAD_REQUEST_URL, value: Buffer.from(badRequest.finish()) });
  }
  const retryDelay = retryDelayOf(error);
  if (retryDelay) {
    const retryInfo = rpcErrorDetails.RetryInfo.encode({ retryDelay }).finish();
    details.push({ typeUrl: RETRY_INFO_URL, value: Buffer.from(retryInfo) });
  }
  return Buffer.from(rpcStatus.Status.encode({ code, message: error.message, details }).finish());
}

/** Returns the delay before a retry, if the error's data contains one. */
function retryDelayOf({ data }: AppError): { readonly seconds: bigint; readonly nanos: number } | undefined {
  const { retryAfterSeconds } = data;
  return typeof retryAfterSeconds === 'number'
    ? { seconds: BigInt(Math.ceil(retryAfterSeconds)), nanos: 0 }
    : undefined;
}

/** Encodes each fact as JSON, because ErrorInfo carries only texts. */
function encodeFacts(data: Facts): Record<string, string> {
  const known = Object.entries(data).filter(([, value]) => value !== undefined);
  return Object.fromEntries(known.map(([name, value]) => [name, JSON.stringify(value)]));
}

/** @throws SyntaxError for what is not JSON */
function decodeFacts(metadata: Readonly<Record<string, string>>): Facts {
  return Object.fromEntries(Object.entries(metadata).map(([name, text]) => [name, JSON.parse(text) as Fact]));
}

function decodeDetails(encoded: Buffer): AppError | undefined {
  try {
    const { message, details } = rpcStatus.Status.decode(encoded);
    const info = details.find((d) => d.typeUrl === ERROR_INFO_URL);
    if (!info) return undefined;
    const { reason, domain, metadata } = rpcErrorDetails.ErrorInfo.decode(info.value);
    if (domain !== DOMAIN || !isErrorCode(reason)) return undefined;
    const bad = details.find((d) => d.typeUrl === BAD_REQUEST_URL);
    const violations = bad ? rpcErrorDetails.BadRequest.decode(bad.value).fieldViolations : [];
    return AppError.received(reason, {
      message,
      data: decodeFacts(metadata),
      details: violations.map(({ field, description, reason: problem }) => {
        return { field, reason: description, problem: problem.toLowerCase() as Problem };
      }),
    });
  } catch {
    return undefined; // not ours after all: the caller treats it as no answer
  }
}
