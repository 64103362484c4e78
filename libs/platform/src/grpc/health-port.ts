import { Server, ServerCredentials } from '@grpc/grpc-js';
import type { HealthImplementation } from 'grpc-health-check';
import type { RunningService } from '../lifecycle/running-service.js';

/** Health, served where no certificate is asked for. */
export interface HealthPort extends RunningService {
  /** `host:port` */
  readonly address: string;
}

/**
 * Serves `grpc.health.v1` and nothing else without TLS: a kubelet's gRPC probe has no certificate. It says only whether a
 * server takes calls.
 * @param address `host:port`; port 0 takes a free one
 * @throws Error when it cannot be listened on
 */
export async function openHealthPort(health: HealthImplementation, address: string): Promise<HealthPort> {
  const server = new Server();
  health.addToServer(server);
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync(address, ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    );
  });
  const host = address.slice(0, address.lastIndexOf(':'));
  // A watcher would keep a graceful stop waiting.
  return { address: `${host}:${port}`, stop: async () => server.forceShutdown() };
}
