import { ChannelCredentials, type ClientReadableStream, makeClientConstructor, status } from '@grpc/grpc-js';
import { service as healthDefinition } from 'grpc-health-check';

interface Asked {
  /** The service asked about; empty for all of them. */
  readonly service: string;
}

interface Answer {
  readonly status: string;
}

interface HealthClient {
  check(asked: Asked, callback: (error: { readonly code: number } | null, answer?: Answer) => void): void;
  watch(asked: Asked): ClientReadableStream<Answer>;
  close(): void;
}

/** Opens a health client without TLS, as a kubelet does. */
function openHealth(address: string): HealthClient {
  const Client = makeClientConstructor(healthDefinition, 'Health');
  return new Client(address, ChannelCredentials.createInsecure()) as unknown as HealthClient;
}

/**
 * Returns the result of a kubelet's gRPC probe, which shows no certificate: `SERVING`, `NOT_SERVING`, or the name of
 * the gRPC status that it gets instead.
 */
export async function probeHealth(address: string, service = ''): Promise<string> {
  const client = openHealth(address);
  try {
    return await new Promise((resolve) =>
      client.check({ service }, (error, answer) => resolve(error ? status[error.code]! : answer!.status)),
    );
  } finally {
    client.close();
  }
}

/** Watches health without a certificate; what it heard grows until the server ends. */
export function watchHealth(address: string): readonly string[] {
  const heard: string[] = [];
  const client = openHealth(address);
  const stream = client.watch({ service: '' });
  stream.on('data', (answer: Answer) => heard.push(answer.status));
  stream.on('error', () => client.close());
  return heard;
}
