import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A span as a collector is sent it. */
export interface CollectedSpan {
  readonly service: string;
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for the first of a trace. */
  readonly parentSpanId: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** A collector of OTLP over HTTP as JSON, made for a test. */
export interface Collector {
  /** For OTEL_EXPORTER_OTLP_ENDPOINT. */
  readonly url: string;
  readonly spans: readonly CollectedSpan[];
  /** Names of the metrics that were sent. */
  readonly metrics: ReadonlySet<string>;
  /** Everything that was sent, as text. */
  readonly text: () => string;
  /** What was asked for as a header, and the path. */
  readonly requests: ReadonlyArray<{ readonly path: string; readonly authorization: string | undefined }>;
  stop(): Promise<void>;
}

interface Attribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

interface TraceRequest {
  readonly resourceSpans: ReadonlyArray<{
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: ReadonlyArray<{
      readonly spans: ReadonlyArray<Omit<CollectedSpan, 'attributes'> & { readonly attributes: readonly Attribute[] }>;
    }>;
  }>;
}

interface MetricRequest {
  readonly resourceMetrics: ReadonlyArray<{
    readonly scopeMetrics: ReadonlyArray<{ readonly metrics: ReadonlyArray<{ readonly name: string }> }>;
  }>;
}

/** Starts one. */
export async function startCollector(): Promise<Collector> {
  const spans: CollectedSpan[] = [];
  const metrics = new Set<string>();
  const bodies: string[] = [];
  const requests: Array<{ path: string; authorization: string | undefined }> = [];
  const server = createServer((request, response) => {
    void readAll(request).then((body) => {
      requests.push({ path: request.url ?? '', authorization: request.headers.authorization });
      bodies.push(body);
      if (request.url === '/v1/traces') spans.push(...spansIn(JSON.parse(body) as TraceRequest));
      if (request.url === '/v1/metrics')
        for (const name of metricsIn(JSON.parse(body) as MetricRequest)) metrics.add(name);
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const stop = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, spans, metrics, requests, text: () => bodies.join('\n'), stop };
}

async function readAll(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function spansIn({ resourceSpans }: TraceRequest): CollectedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans
      .flatMap((scope) => scope.spans)
      .map(({ attributes, parentSpanId = '', ...span }) => ({
        ...span,
        parentSpanId,
        service: String(valuesOf(resource.attributes)['service.name']),
        attributes: valuesOf(attributes),
      })),
  );
}

function metricsIn({ resourceMetrics }: MetricRequest): string[] {
  return resourceMetrics.flatMap(({ scopeMetrics }) =>
    scopeMetrics.flatMap((scope) => scope.metrics.map(({ name }) => name)),
  );
}

function valuesOf(attributes: readonly Attribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
