import { type CertificatePaths, createCertificates } from '@agent-wallet/embedded';
import {
  Metadata,
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type ServiceDefinition as GrpcDefinition,
  type ServiceError,
  type status,
} from '@grpc/grpc-js';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import http2 from 'node:http2';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { BadRequest, ErrorInfo, RetryInfo } from '../src/generated/google/rpc/error_details.js';
import { Status } from '../src/generated/google/rpc/status.js';
import { connect, type ConnectOptions, type Connection, type ServiceDefinition, type TlsFiles } from '../src/index.js';

export type Call = ServerUnaryCall<Record<string, unknown>, object>;
/** Answers a method: the answer, or a failure. */
export type Handler = (call: Call) => object | Promise<object>;

type Name = 'history' | 'gateway' | 'swap';

/** Certificates, servers and connections of a test, all of which end with it. */
export class World {
  readonly #ending: (() => unknown)[] = [];
  /** The files that each name calls with. */
  certificates!: Record<Name, TlsFiles>;
  #server!: CertificatePaths;
  directory!: string;

  async open(): Promise<void> {
    this.directory = await mkdtemp(path.join(tmpdir(), 'client-'));
    const made = await createCertificates<Name>(this.directory, ['history', 'gateway', 'swap']);
    const filesOf = ({ caPath, client }: CertificatePaths) => ({ caPath, ...client });
    this.certificates = { history: filesOf(made.history), gateway: filesOf(made.gateway), swap: filesOf(made.swap) };
    this.#server = made.history;
  }

  /** Ends what the last test has started. */
  async reset(): Promise<void> {
    for (const end of this.#ending.splice(0).reverse()) await end();
  }

  async close(): Promise<void> {
    await rm(this.directory, { recursive: true });
  }

  /** A server of some methods, by their names in the definition; the others are UNIMPLEMENTED. */
  async serve(definition: ServiceDefinition, handlers: Record<string, Handler>, address = '127.0.0.1:0') {
    const server = new Server();
    server.addService(
      definitionOf(definition),
      Object.fromEntries(
        Object.entries(handlers).map(([method, handler]) => [
          method,
          (call: Call, callback: (error: Partial<ServiceError> | null, answer?: object) => void) =>
            void Promise.resolve()
              .then(() => handler(call))
              .then((answer) => callback(null, answer))
              .catch((error: unknown) => callback(error as ServiceError)),
        ]),
      ),
    );
    const { ca, cert: cert_chain, key: private_key } = this.pem();
    const credentials = ServerCredentials.createSsl(ca, [{ cert_chain, private_key }], true);
    const port = await new Promise<number>((resolve, reject) =>
      server.bindAsync(address, credentials, (error, bound) => (error ? reject(error) : resolve(bound))),
    );
    this.#ending.push(() => server.forceShutdown());
    return { address: `127.0.0.1:${port}`, server };
  }

  /** A server that does to streams what no gRPC server does of its own accord. */
  async serveStreams(onStream: (stream: http2.ServerHttp2Stream, number: number) => void): Promise<string> {
    let streams = 0;
    const server = http2.createSecureServer({ ...this.pem(), requestCert: true });
    server.on('stream', (stream) => {
      stream.on('error', () => undefined);
      onStream(stream, (streams += 1));
    });
    server.on('sessionError', () => undefined);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const sessions = new Set<http2.Http2Session>();
    server.on('session', (session) => sessions.add(session));
    this.#ending.push(() => {
      sessions.forEach((session) => session.destroy());
      server.close();
    });
    return `127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  async connect(address: string, options: Partial<ConnectOptions> = {}): Promise<Connection> {
    const tls = this.certificates.gateway;
    const connection = await connect({ address, service: 'history', tls, ...options });
    this.#ending.push(() => connection.close(0));
    return connection;
  }

  /** Reads the certificate that the servers here present. */
  pem(): { readonly ca: Buffer; readonly cert: Buffer; readonly key: Buffer } {
    const { caPath, server } = this.#server;
    return { ca: readFileSync(caPath), cert: readFileSync(server.certPath), key: readFileSync(server.keyPath) };
  }
}

/** How a message is written and read. */
interface Codec {
  readonly encode: (message: object) => { finish(): Uint8Array };
  readonly decode: (bytes: Uint8Array) => object;
}

/** The definition as grpc-js has it. */
function definitionOf({ fullName, methods }: ServiceDefinition): GrpcDefinition {
  const writing =
    ({ encode }: Codec) =>
    (message: object) =>
      Buffer.from(encode(message).finish());
  return Object.fromEntries(
    Object.entries(methods).map(([key, { name, ...types }]) => {
      const { requestType, responseType } = types as unknown as Record<'requestType' | 'responseType', Codec>;
      const method = {
        path: `/${fullName}/${name}`,
        ...{ requestStream: false, responseStream: false },
        requestSerialize: writing(requestType),
        requestDeserialize: (bytes: Buffer) => requestType.decode(bytes),
        responseSerialize: writing(responseType),
        responseDeserialize: (bytes: Buffer) => responseType.decode(bytes),
      };
      return [key, method] as const;
    }),
  );
}

/** What our services return for an error. */
export function serviceError(
  code: string,
  grpc: status,
  more: { readonly hints?: Record<string, string>; readonly field?: string; readonly retryAfterMs?: number } = {},
): Partial<ServiceError> {
  const detail = (name: string, value: Uint8Array) => ({
    typeUrl: `type.googleapis.com/google.rpc.${name}`,
    value: Buffer.from(value),
  });
  const { hints = {}, field, retryAfterMs } = more;
  const metadataOf = Object.entries(hints).map(([name, value]) => [name, JSON.stringify(value)]);
  const info = ErrorInfo.encode({
    ...{ reason: code, domain: 'agent-wallet' },
    metadata: Object.fromEntries(metadataOf) as Record<string, string>,
  }).finish();
  const wrong =
    field &&
    BadRequest.encode({ fieldViolations: [{ field, description: 'is wrong', reason: 'INVALID_FORMAT' }] }).finish();
  const retryDelay = { seconds: 0n, nanos: (retryAfterMs ?? 0) * 1e6 };
  const details = [
    detail('ErrorInfo', info),
    ...(wrong ? [detail('BadRequest', wrong)] : []),
    ...(retryAfterMs === undefined ? [] : [detail('RetryInfo', RetryInfo.encode({ retryDelay }).finish())]),
  ];
  const metadata = new Metadata();
  const encoded = Status.encode({ code: grpc, message: `it is ${code}`, details }).finish();
  metadata.set('grpc-status-details-bin', Buffer.from(encoded));
  return { code: grpc, details: 'in short', metadata };
}

/** A method that answers a failure. */
export function refusing(failure: Partial<ServiceError>): Handler {
  return () => {
    throw failure as Error;
  };
}

/** Answers a stream with an empty message. */
export function answerEmpty(stream: http2.ServerHttp2Stream): void {
  stream.respond({ ':status': 200, 'content-type': 'application/grpc+proto' }, { waitForTrailers: true });
  stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
  stream.end(Buffer.alloc(5));
}
