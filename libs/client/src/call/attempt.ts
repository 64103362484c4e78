import { type Client, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { CallError } from '../errors/call-error.js';
import type { MethodDefinition } from './definition.js';

/** One request to one method. */
export interface Attempt<Request, Response> {
  /** `agentwallet.wallet.v1.WalletService/Transfer` */
  readonly name: string;
  readonly method: MethodDefinition<Request, Response>;
  readonly request: Request;
  readonly headers: Readonly<Record<string, string>>;
  /** Unix milliseconds. */
  readonly deadlineMs: number;
  readonly signal: AbortSignal | undefined;
}

/** Sends the request once. @throws CallError */
export function attempt<Request, Response>(client: Client, call: Attempt<Request, Response>): Promise<Response> {
  const { name, method, request, signal } = call;
  return new Promise((resolve, reject) => {
    const sent = client.makeUnaryRequest<Request, Response>(
      `/${name}`,
      (message) => Buffer.from(method.requestType.encode(message).finish()),
      (bytes) => method.responseType.decode(bytes),
      request,
      metadataOf(call.headers),
      { deadline: call.deadlineMs },
      (error: ServiceError | null, response?: Response) => {
        signal?.removeEventListener('abort', abandon);
        if (error) reject(CallError.of(name, error));
        else if (response === undefined) reject(CallError.notMade(name, status.INTERNAL, 'an empty answer'));
        else resolve(response);
      },
    );
    const abandon = () => sent.cancel();
    signal?.addEventListener('abort', abandon, { once: true });
  });
}

function metadataOf(headers: Readonly<Record<string, string>>): Metadata {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
  return metadata;
}
