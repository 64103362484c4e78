import { AppError } from '@agent-wallet/kernel';
import { callUpstream } from '@agent-wallet/telemetry';
import { parse as parseWithoutLoss } from 'lossless-json';
import { type EndpointOptions, openEndpoint } from './http-post.js';
import { InexactNumber, readFields, readText, ShapeError } from './shapes.js';

/** An error that the node itself answered. Found as the `cause` of the AppError. */
export class JsonRpcError extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly data: unknown,
  ) {
    super(message);
    this.name = 'JsonRpcError';
  }
}

/** One node, spoken to in JSON-RPC. */
export interface JsonRpc {
  /**
   * Calls a method; `read` makes the answer's result into what the caller wants, or throws ShapeError.
   * @throws AppError UPSTREAM_TIMEOUT, or UPSTREAM_ERROR with a JsonRpcError, HttpStatusError or other cause
   */
  call<Result>(method: string, params: readonly unknown[], read: (result: unknown) => Result): Promise<Result>;
  /** Ends the connections. */
  close(): void;
}

/** Opens the door to a node; nothing is sent before the first call. @throws TypeError when the URL is not http(s) */
export function openJsonRpc(options: EndpointOptions): JsonRpc {
  const endpoint = openEndpoint(options);
  const host = URL.parse(options.url)?.hostname;
  let calls = 0;
  return {
    call: async (method, params, read) => {
      calls += 1;
      const id = calls;
      const question = JSON.stringify({ jsonrpc: '2.0', id, method, params });
      const text = await callUpstream({ upstream: 'chain', method: method, host }, () => endpoint.post(question));
      try {
        return readResponse(text, id, read);
      } catch (error) {
        throw new AppError('UPSTREAM_ERROR', { cause: error });
      }
    },
    close: () => endpoint.close(),
  };
}

function readResponse<Result>(text: string, id: number, read: (result: unknown) => Result): Result {
  try {
    return read(resultOf(JSON.parse(text), id));
  } catch (error) {
    if (!(error instanceof InexactNumber)) throw error;
    // Rare, and ten times dearer: a u64 above 2^53 somewhere that matters.
    return read(resultOf(parseWithoutLoss(text, undefined, exactNumber), id));
  }
}

/** Returns a number, or a bigint for an integer that a double cannot hold. */
function exactNumber(text: string): number | bigint {
  const value = Number(text);
  return /^\d+$/.test(text) && !Number.isSafeInteger(value) ? BigInt(text) : value;
}

function resultOf(answer: unknown, id: number): unknown {
  const fields = readFields(answer, 'the answer');
  if (fields.id !== id) throw new ShapeError('the answer is to another call');
  if (fields.error !== undefined && fields.error !== null) {
    const { code, message, data } = readFields(fields.error, 'the error');
    if (typeof code !== 'number') throw new ShapeError('the error has no code');
    throw new JsonRpcError(code, readText(message, "the error's message"), data);
  }
  if (!('result' in fields)) throw new ShapeError('the answer has no result');
  return fields.result;
}
