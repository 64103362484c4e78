import { eventually, TestScheduler } from '@agent-wallet/testing';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  asService,
  ATTRIBUTES,
  count,
  currentSpanIds,
  currentTraceparent,
  inSpan,
  METRICS,
  type RunningTelemetry,
  startSpan,
  startTelemetry,
  type TelemetrySettings,
  took,
  watch,
} from '../src/index.js';

const SETTINGS: TelemetrySettings = {
  sampler: 'parentbased_traceidratio',
  samplerRatio: 1,
  spanDelayMs: 20,
  metricIntervalMs: 50,
};

const started: Array<{ readonly stop: () => unknown }> = [];

afterEach(async () => {
  for (const { stop } of started.splice(0).reverse()) await stop();
});

async function start(
  more: Partial<TelemetrySettings>,
  onTrouble?: (errorType: string) => void,
): Promise<RunningTelemetry> {
  const running = await startTelemetry({
    service: 'test',
    settings: { ...SETTINGS, ...more },
    ...(onTrouble && { onTrouble }),
  });
  started.push(running);
  return running;
}

/** A collector; without `answers` it takes requests and says nothing. */
async function collector(answers: boolean): Promise<{ url: string; bodies: string[] }> {
  const bodies: string[] = [];
  const server: Server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      bodies.push(body);
      if (answers) response.end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  started.push({
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, bodies };
}

async function scrape({ metricsAddress }: RunningTelemetry): Promise<string> {
  const response = await fetch(`http://${metricsAddress}/metrics`);
  expect(response.status).toBe(200);
  return response.text();
}

const SPAN = { name: 'sql a-statement' };

describe('telemetry that is switched off', () => {
  it('does the work and nothing else', async () => {
    const running = await start({});
    expect(running.metricsAddress).toBeUndefined();
    const seen = await inSpan(SPAN, async () => [currentTraceparent(), currentSpanIds()]);
    expect(seen).toEqual(['', undefined]);
    let looks = 0;
    watch({ service: 'test', look: async () => ((looks += 1), []) }).stop();
    count(METRICS.eventsConsumed);
    expect(looks).toBe(0);
  });
});

describe('spans', () => {
  it('are sent with the service that they belong to, and the parent that they have', async () => {
    const { url, bodies } = await collector(true);
    await start({ otlpEndpoint: url });
    const inner = await asService('wallet', () => inSpan(SPAN, () => inSpan(SPAN, async () => currentTraceparent())));
    expect(inner).toMatch(/^00-[\da-f]{32}-[\da-f]{16}-01$/);
    startSpan({ name: SPAN.name, service: 'policy', parent: inner }).end();
    await eventually(() => bodies.join().includes(`"parentSpanId":"${inner.split('-')[2]}"`));
    // Metrics come by themselves, from the process.
    const services = () => [...bodies.join().matchAll(/"service.name","value":\{"stringValue":"(\w+)"/g)];
    const names = () => [...new Set(services().map(([, name]) => name))].sort();
    await eventually(() => names().length === 3);
    expect(names()).toEqual(['policy', 'test', 'wallet']);
  });

  it('are sent with what the environment says of the resource, and nothing about the machine', async () => {
    process.env['OTEL_RESOURCE_ATTRIBUTES'] = 'deployment.environment.name=staging,service.name=other';
    process.env['OTEL_SERVICE_NAME'] = 'another';
    started.push({
      stop: () => {
        delete process.env['OTEL_RESOURCE_ATTRIBUTES'];
        delete process.env['OTEL_SERVICE_NAME'];
      },
    });
    const { url, bodies } = await collector(true);
    await start({ otlpEndpoint: url });
    startSpan({ ...SPAN, service: 'wallet' }).end();
    await eventually(() => bodies.some((body) => body.includes('resourceSpans')));
    const sent = JSON.parse(bodies.find((body) => body.includes('resourceSpans')) ?? '');
    const { attributes } = sent.resourceSpans[0].resource;
    expect(attributes.map(({ key }: { key: string }) => key).sort()).toEqual([
      'deployment.environment.name',
      'process.pid',
      'service.instance.id',
      'service.name',
      'service.namespace',
    ]);
    expect(attributes).toContainEqual({ key: 'service.name', value: { stringValue: 'wallet' } });
    expect(bodies.join()).not.toMatch(/another|"other"/);
  });

  it('that fail name the type of the error, never its words', async () => {
    const { url, bodies } = await collector(true);
    await start({ otlpEndpoint: url });
    const error = Object.assign(new Error('hush'), { code: 'ECONNRESET' });
    await expect(inSpan(SPAN, () => Promise.reject(error))).rejects.toBe(error);
    await eventually(() => bodies.join().includes('"error.type","value":{"stringValue":"ECONNRESET"}'));
    expect(bodies.join()).not.toContain('hush');
  });

  it('are kept as the sampler says, and as their parents were', async () => {
    const { url } = await collector(true);
    await start({ otlpEndpoint: url, samplerRatio: 0 });
    expect(startSpan({ ...SPAN, parent: '' }).traceparent).toMatch(/-00$/);
    const kept = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    expect(startSpan({ ...SPAN, parent: kept }).traceparent).toMatch(/^00-a{32}-.*-01$/);
  });
});

describe('a collector that is away', () => {
  it('is spoken of once, and holds up no stop', async () => {
    const { url } = await collector(false);
    const gone = url.replace(/\d+$/, '1');
    const troubles: string[] = [];
    const running = await start({ otlpEndpoint: gone }, (errorType) => troubles.push(errorType));
    for (let n = 0; n < 20_000; n += 1) startSpan(SPAN).end();
    await eventually(() => troubles.length > 0);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(troubles).toHaveLength(1);
    await running.stop();
  });

  it('that takes requests and never answers holds it up for two seconds at most', async () => {
    const { url } = await collector(false);
    const scheduler = new TestScheduler();
    const running = await startTelemetry({ service: 'test', settings: { ...SETTINGS, otlpEndpoint: url }, scheduler });
    started.push(running);
    startSpan(SPAN).end();
    let isStopped = false;
    void running.stop().then(() => (isStopped = true));
    await scheduler.advance(1_999);
    expect(isStopped).toBe(false);
    await scheduler.advance(1);
    expect(isStopped).toBe(true);
  });
});

describe('metrics', () => {
  it('are served with the service and the labels that they have', async () => {
    const running = await start({ metricsAddress: '127.0.0.1:0' });
    count(METRICS.eventsConsumed, { service: 'history', by: 3 });
    const attributes = { [ATTRIBUTES.loop.name]: 'relay' };
    asService('wallet', () => count(METRICS.loopFailures, { attributes }));
    took(METRICS.upstreamDuration, {
      startedAtMs: performance.now() - 30,
      attributes: { [ATTRIBUTES.upstream.name]: 'chain' },
    });
    const text = await scrape(running);
    expect(text).toContain('agentwallet_events_consumed_total{agentwallet_service="history"} 3');
    expect(text).toContain('agentwallet_loop_failures_total{agentwallet_service="wallet",agentwallet_loop="relay"} 1');
    expect(text).toMatch(/agentwallet_upstream_duration_bucket\{.*le="0.025"\} 0/);
    expect(text).toMatch(/agentwallet_upstream_duration_count\{.*agentwallet_upstream="chain".*\} 1/);
    expect(text).toMatch(/process_memory_usage\{.*agentwallet_memory="rss"\} \d/);
    expect((await fetch(`http://${running.metricsAddress}/`)).status).toBe(404);
  });

  it('are looked at once in a while, however often they are asked for', async () => {
    const running = await start({ metricsAddress: '127.0.0.1:0' });
    let looks = 0;
    const look = async () => [{ metric: METRICS.outboxSize, value: (looks += 1) }];
    const kept = watch({ service: 'wallet', look });
    for (let n = 0; n < 5; n += 1) {
      expect(await scrape(running)).toContain('agentwallet_outbox_size{agentwallet_service="wallet"} 1\n');
    }
    kept.stop();
    expect(await scrape(running)).not.toContain('agentwallet_outbox_size{');
  });

  it('that cannot be read are absent, and never the others', async () => {
    const running = await start({ metricsAddress: '127.0.0.1:0' });
    watch({ service: 'wallet', look: () => Promise.reject(new Error('away')) });
    watch({ service: 'swap', look: () => new Promise(() => {}) });
    watch({ service: 'policy', look: async () => [{ metric: METRICS.outboxSize, value: 7 }] });
    // One poll never ends, so that the scrape ends by its time limit or not at all.
    await scrape(running);
    const text = await scrape(running);
    expect(text.match(/^agentwallet_outbox_size\{.*$/gm)).toEqual([
      'agentwallet_outbox_size{agentwallet_service="policy"} 7',
    ]);
    expect(text).toContain('agentwallet_telemetry_gauge_failures_total{agentwallet_service="wallet"} 1');
    // Each scrape that waited in vain counts.
    expect(text).toMatch(/^agentwallet_telemetry_gauge_failures_total\{agentwallet_service="swap"\} [12]$/m);
  });
});
