import { eventually } from '@agent-wallet/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AgentClient } from '../src/index.js';
import { type CollectedSpan, type Collector, startCollector } from './harness/collector.js';
import { type Deployment, deploy } from './harness/deployment.js';
import { addMarket, doneOf, untilFinal } from './harness/predicting.js';
import { newRecipient } from './harness/recipient.js';
import { tradeUntilFinal } from './harness/trading.js';

const AUTHORIZATION = 'Bearer collectors-secret';

const CONFIRMED = 'agentwallet.operation.confirmed.v1';

let collector: Collector;
let deployment: Deployment;
let agent: AgentClient;

beforeAll(async () => {
  collector = await startCollector();
  deployment = await deploy({
    environment: {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: `authorization=${encodeURIComponent(AUTHORIZATION)}`,
      OTEL_BSP_SCHEDULE_DELAY: '100',
      OTEL_METRIC_EXPORT_INTERVAL: '500',
    },
  });
  agent = await deployment.agent({ SOL: 2, USDC: 100 });
});

afterAll(async () => {
  await deployment?.stop();
  await collector?.stop();
});

/** A trace as its edges: `service span > service span`. Other tests cover statements and calls to upstreams. */
class Trace {
  constructor(readonly spans: readonly CollectedSpan[]) {}

  /** The spans from the first of the trace to this one, by service; what a service does within itself is one. */
  pathTo(span: CollectedSpan): string[] {
    const parent = this.spans.find(({ spanId }) => spanId === span.parentSpanId);
    const path = parent ? this.pathTo(parent) : [];
    return path.at(-1) === span.service ? path : [...path, span.service];
  }

  get edges(): Set<string> {
    return new Set(
      this.spans.flatMap((span) => {
        const path = this.pathTo(span).slice(-2);
        return path.length === 2 ? [path.join(' > ')] : [];
      }),
    );
  }

  named(service: string, name: string | RegExp): CollectedSpan | undefined {
    return this.spans.find((span) => span.service === service && span.name.match(name) !== null);
  }

  /** Whether every span but the first has its parent in the trace. */
  get isWhole(): boolean {
    const ids = new Set(this.spans.map(({ spanId }) => spanId));
    const orphans = this.spans.filter(({ parentSpanId }) => !ids.has(parentSpanId));
    return orphans.length === 1 && orphans[0]?.parentSpanId === '';
  }
}

/**
 * The newest trace that began with a request of this route, once its effects are in history. Every service exports by
 * itself, so an earlier span may arrive later.
 */
function traceOf(root: string, edges: readonly string[]): Promise<Trace> {
  return eventually(
    async () => {
      const first = collector.spans.findLast(({ name, parentSpanId }) => name === root && parentSpanId === '');
      return new Trace(collector.spans.filter(({ traceId }) => traceId === first?.traceId));
    },
    (trace) => trace.isWhole && publishingOf(trace) !== undefined && edges.every((edge) => trace.edges.has(edge)),
    30_000,
  );
}

/** The publishing of the event by which history has recorded that an operation is confirmed. */
function publishingOf({ spans }: Trace): CollectedSpan | undefined {
  const record = spans.find(isRecord);
  const messageId = record?.attributes['messaging.message.id'];
  return spans.find(
    ({ name, attributes }) => record && name === 'send audit.v1' && attributes['messaging.message.id'] === messageId,
  );
}

function isRecord({ service, name, attributes }: CollectedSpan): boolean {
  return service === 'history' && name === 'process audit.v1' && attributes['agentwallet.event_type'] === CONFIRMED;
}

describe('one trace', () => {
  it('follows a transfer from the request to the record in history', async () => {
    const sent = await agent.transfer({ to: newRecipient(), amount: 0.1 });
    expect(sent.status).toBe(200);

    const edges = ['gateway > wallet', 'wallet > policy', 'wallet > signer', 'wallet > history'];
    const trace = await traceOf('POST /wallets/me/actions/transfer', edges);
    // Policy also publishes to history that the spending is reserved; no other service takes part.
    expect([...trace.edges].filter((edge) => !edges.includes(edge) && edge !== 'policy > history')).toEqual([]);
    const wallet = trace.named('wallet', 'agentwallet.wallet.v1.WalletService/Transfer')!;
    expect(trace.pathTo(wallet)).toEqual(['gateway', 'wallet']);
    const authorized = trace.named('policy', /PolicyService\/Authorize$/)!;
    expect(trace.pathTo(authorized)).toEqual(['gateway', 'wallet', 'policy']);
    const signed = trace.named('signer', 'agentwallet.signer.v1.SignerService/Sign')!;
    expect(trace.pathTo(signed)).toEqual(['gateway', 'wallet', 'signer']);
    // Statements by their names, those of Prisma by their first word; the chain by its methods.
    for (const service of ['gateway', 'wallet', 'policy', 'history'])
      expect(trace.named(service, /^sql /)).toBeDefined();
    expect(trace.named('wallet', 'sql operation-change')).toBeDefined();
    expect(trace.named('wallet', 'chain sendTransaction')).toBeDefined();
    // Its outbox, the stream, history: the same event at both ends.
    expect(publishingOf(trace)?.service).toBe('wallet');
    const requestIds = trace.spans.flatMap(({ attributes }) => attributes['agentwallet.request_id'] ?? []);
    expect(new Set(requestIds).size).toBe(1);
  });

  it('follows a trade and a purchase, through every service that takes part', async () => {
    const traded = await tradeUntilFinal(agent, { from: 'USDC', to: 'SOL', amount: 5 }, 'traced-trade');
    expect(traded.status).toBe(200);
    const trading = ['gateway > swap', 'swap > policy', 'swap > signer', 'swap > wallet', 'swap > history'];
    const trade = await traceOf('POST /wallets/me/actions/trade', trading);
    expect(trade.named('swap', /^aggregator /)).toBeDefined();

    const ticker = await addMarket(deployment);
    const order = { ticker, side: 'yes', count: 2 } as const;
    doneOf(await untilFinal(() => agent.predictions.buy(order, 'traced-buy')));
    const buying = ['gateway > prediction', 'prediction > wallet', 'wallet > policy', 'prediction > history'];
    const buy = await traceOf('POST /predictions/buy', buying);
    expect(buy.named('prediction', /^exchange /)).toBeDefined();
  });

  it('starts afresh where an unknown client names one', async () => {
    const stranger = '4bf92f3577b34da6a3ce929d0e0e4736';
    const headers = { traceparent: `00-${stranger}-00f067aa0ba902b7-01`, authorization: `Bearer ${agent.token}` };
    expect((await fetch(`${deployment.url()}/wallets/me/policy`, { headers })).status).toBe(200);
    const root = await eventually(
      async () => collector.spans.findLast(({ name }) => name === 'GET /wallets/me/policy'),
      (span) => span !== undefined,
    );
    expect(root).toMatchObject({ parentSpanId: '', service: 'gateway' });
    expect(root!.traceId).not.toBe(stranger);
  });
});

describe('a collector', () => {
  it('is sent traces and metrics with the headers that it wants, and no paths of callers', async () => {
    await fetch(`${deployment.url()}/no-such-route/secret-part`);
    await eventually(
      async () => collector.spans.some(({ name }) => name === 'GET unmatched'),
      (isThere) => isThere,
    );
    expect(collector.text()).not.toContain('secret-part');
    await eventually(
      async () => collector.metrics,
      (names) => names.has('http.server.request.duration') && names.has('rpc.server.call.duration'),
    );
    expect(new Set(collector.requests.map(({ authorization }) => authorization))).toEqual(new Set([AUTHORIZATION]));
    expect(new Set(collector.requests.map(({ path }) => path))).toEqual(new Set(['/v1/traces', '/v1/metrics']));
  });
});
