import { reflectionV1 } from '@agent-wallet/contracts';
import { type Server, type ServerDuplexStream, status } from '@grpc/grpc-js';
import { fileOfName, fileOfSymbol, withImports } from './descriptor-index.js';

type Request = reflectionV1.ServerReflectionRequest;
type Response = reflectionV1.ServerReflectionResponse;
type Answer = NonNullable<Response['messageResponse']>;
type Stream = ServerDuplexStream<Request, Response>;

const { serverReflectionInfo: V1 } = reflectionV1.ServerReflectionService;
/** The service's definition under the name that older callers use. */
const V1_ALPHA = { ...V1, path: V1.path.replace('.v1.', '.v1alpha.') };
const NAMES = [V1, V1_ALPHA].map(({ path }) => path.split('/')[1]!);

/**
 * Shows every client that may connect what a server serves, by gRPC's server reflection (v1, and v1alpha of the same
 * messages). It shows what the protos say, which are not secret; who may call a method is decided at the call.
 */
export class Reflection {
  readonly #services: readonly string[];
  readonly #streams = new Set<Stream>();

  /** @param services full names of what the server serves beside this */
  constructor(services: readonly string[]) {
    this.#services = [...services, ...NAMES].sort();
  }

  addToServer(server: Server): void {
    const serverReflectionInfo = (stream: Stream) => this.#serve(stream);
    for (const method of [V1, V1_ALPHA]) {
      server.addService({ serverReflectionInfo: method }, { serverReflectionInfo });
    }
  }

  /** Ends the streams that are open: a server that stops does not wait for them. */
  stop(): void {
    for (const stream of this.#streams) stream.end();
  }

  /** Returns the response to one request. */
  answer(request: Request): Response {
    return { validHost: request.host, originalRequest: request, messageResponse: this.#answer(request.messageRequest) };
  }

  #serve(stream: Stream): void {
    this.#streams.add(stream);
    stream.on('data', (request: Request) => {
      // A client that does not read its answers gets no more.
      if (!stream.write(this.answer(request))) {
        stream.pause();
        stream.once('drain', () => stream.resume());
      }
    });
    stream.on('end', () => stream.end());
    stream.on('error', () => stream.end());
    for (const over of ['close', 'cancelled', 'finish']) stream.on(over, () => this.#streams.delete(stream));
  }

  #answer(question: Request['messageRequest']): Answer {
    switch (question?.$case) {
      case 'listServices': {
        const service = this.#services.map((name) => ({ name }));
        return { $case: 'listServicesResponse', value: { service } };
      }
      case 'fileByFilename':
        return filesOf(fileOfName(question.value), question.value);
      case 'fileContainingSymbol':
        return filesOf(fileOfSymbol(question.value), question.value);
      case 'fileContainingExtension':
      case 'allExtensionNumbersOfType':
        return failure(status.NOT_FOUND, 'there are no extensions');
      case undefined:
        return failure(status.INVALID_ARGUMENT, 'nothing is asked');
    }
  }
}

function filesOf(file: ReturnType<typeof fileOfName>, asked: string): Answer {
  if (!file) return failure(status.NOT_FOUND, `there is no ${asked}`);
  return { $case: 'fileDescriptorResponse', value: { fileDescriptorProto: withImports(file) } };
}

function failure(errorCode: number, errorMessage: string): Answer {
  return { $case: 'errorResponse', value: { errorCode, errorMessage } };
}
