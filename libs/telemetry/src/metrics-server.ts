import type { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const TIMEOUT_MS = 10_000;

/** A listener that answers scrapes. */
export interface MetricsServer {
  /** `host:port` */
  readonly address: string;
  stop(): Promise<void>;
}

/** Serves `GET /metrics` in Prometheus' text format and nothing else. @param address `host:port`; port 0 takes a free one */
export async function serveMetrics(address: string, exporter: PrometheusExporter): Promise<MetricsServer> {
  const server = createServer({ requestTimeout: TIMEOUT_MS, headersTimeout: TIMEOUT_MS }, (request, response) => {
    if (request.method === 'GET' && request.url?.split('?', 1)[0] === '/metrics') {
      exporter.getMetricsRequestHandler(request, response);
    } else {
      response.writeHead(404).end();
    }
  });
  const colon = address.lastIndexOf(':');
  const host = address.slice(0, colon).replace(/^\[|\]$/g, '');
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(Number(address.slice(colon + 1)), host, resolve);
  });
  // A scraper that waits does not keep a process alive.
  server.unref();
  const { port } = server.address() as AddressInfo;
  return {
    address: `${address.slice(0, colon)}:${port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
