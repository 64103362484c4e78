/*
 * Every name that telemetry uses: spans, attributes, metrics. Nothing is measured under a name that is not here, and
 * docs/telemetry.md is made from this file (tools/docs/telemetry-tables.mjs; a test keeps it true).
 */
import { ATTRIBUTES } from './attributes.js';
import type { Metric } from './metric.js';
import { OWNER_METRICS } from './owner-metrics.js';

export { ATTRIBUTES } from './attributes.js';
export type { Metric } from './metric.js';
export { SPANS } from './span-names.js';

const LATENCY_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25];
/** Buckets for agents' waiting times: usually a second; minutes when a message must be proven expired first. */
const WAITING_BUCKETS = [0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900, 3_600];

const A = ATTRIBUTES;

/** Every metric. Append only: dashboards depend on the meaning of a name. */
export const METRICS = {
  httpServerDuration: {
    name: 'http.server.request.duration',
    kind: 'histogram',
    unit: 's',
    help: 'Duration of REST requests',
    labels: [A.method.name, A.route.name, A.statusCode.name],
    buckets: LATENCY_BUCKETS,
  },
  rpcServerDuration: {
    name: 'rpc.server.call.duration',
    kind: 'histogram',
    unit: 's',
    help: 'Duration of gRPC calls served',
    labels: [A.rpcService.name, A.rpcMethod.name, A.errorType.name],
    buckets: LATENCY_BUCKETS,
  },
  rpcClientDuration: {
    name: 'rpc.client.call.duration',
    kind: 'histogram',
    unit: 's',
    help: 'Duration of gRPC calls made, including those without a response',
    labels: [A.rpcService.name, A.rpcMethod.name, A.errorType.name],
    buckets: LATENCY_BUCKETS,
  },
  upstreamDuration: {
    name: 'agentwallet.upstream.duration',
    kind: 'histogram',
    unit: 's',
    help: 'Duration of requests to the chain, the aggregator, the exchange and the mail server',
    labels: [A.upstream.name, A.upstreamMethod.name, A.errorType.name],
    buckets: LATENCY_BUCKETS,
  },
  loopFailures: {
    name: 'agentwallet.loop.failures',
    kind: 'counter',
    unit: '{round}',
    help: 'Failed rounds of background loops; each is retried',
    labels: [A.loop.name],
  },
  operationChanges: {
    name: 'agentwallet.operation.changes',
    kind: 'counter',
    unit: '{change}',
    help: 'Operations that entered a state',
    labels: [A.action.name, A.state.name],
  },
  operationsOpen: {
    name: 'agentwallet.operations.open',
    kind: 'gauge',
    unit: '{operation}',
    help: 'Operations without a finalized outcome; a submitted one may have landed',
    labels: [A.action.name, A.state.name],
  },
  operationsOldest: {
    name: 'agentwallet.operations.open_oldest_age',
    kind: 'gauge',
    unit: 's',
    help: 'Age of the oldest open operation',
    labels: [A.action.name, A.state.name],
  },
  requestsPending: {
    name: 'agentwallet.requests.pending',
    kind: 'gauge',
    unit: '{request}',
    help: 'Agent requests without a final response',
    labels: [],
  },
  requestsPendingOldest: {
    name: 'agentwallet.requests.pending_oldest_age',
    kind: 'gauge',
    unit: 's',
    help: 'Age of the oldest pending request',
    labels: [],
  },
  reservationsOpen: {
    name: 'agentwallet.reservations.open',
    kind: 'gauge',
    unit: '{reservation}',
    help: 'Open reservations: neither settled nor released',
    labels: [],
  },
  reservationsOpenUsd: {
    name: 'agentwallet.reservations.open_usd',
    kind: 'gauge',
    unit: 'USD',
    help: 'Total value of open reservations',
    labels: [],
  },
  reservationsOldest: {
    name: 'agentwallet.reservations.oldest_age',
    kind: 'gauge',
    unit: 's',
    help: 'Age of the oldest open reservation',
    labels: [],
  },
  recoveryActive: {
    name: 'agentwallet.recovery.active',
    kind: 'gauge',
    unit: '1',
    help: '1 while permits are suspended because a restored database scans the chain',
    labels: [],
  },
  outboxSize: {
    name: 'agentwallet.outbox.size',
    kind: 'gauge',
    unit: '{event}',
    help: 'Events waiting in the outbox; 10001 for more than 10,000',
    labels: [],
  },
  outboxOldest: {
    name: 'agentwallet.outbox.oldest_age',
    kind: 'gauge',
    unit: 's',
    help: 'Age of the oldest event in the outbox; 0 when it is empty',
    labels: [],
  },
  eventsPublished: {
    name: 'agentwallet.events.published',
    kind: 'counter',
    unit: '{event}',
    help: 'Events published to the stream',
    labels: [],
  },
  eventsPublishFailures: {
    name: 'agentwallet.events.publish_failures',
    kind: 'counter',
    unit: '{batch}',
    help: 'Batches that could not be published; each is retried',
    labels: [],
  },
  eventsConsumed: {
    name: 'agentwallet.events.consumed',
    kind: 'counter',
    unit: '{event}',
    help: 'Events consumed from the stream and processed',
    labels: [],
  },
  eventsUnprocessable: {
    name: 'agentwallet.events.unprocessable',
    kind: 'gauge',
    unit: '{event}',
    help: 'Events set aside because they could not be processed; 10001 for more than 10,000',
    labels: [],
  },
  streamLag: {
    name: 'agentwallet.events.lag',
    kind: 'gauge',
    unit: '{event}',
    help: 'Events of the stream that the consumer has not processed yet',
    labels: [],
  },
  streamRetries: {
    name: 'agentwallet.stream.retries',
    kind: 'counter',
    unit: '{request}',
    help: 'Requests to Kafka that failed and were retried at once',
    labels: [],
  },
  streamRejoins: {
    name: 'agentwallet.stream.rejoins',
    kind: 'counter',
    unit: '{outage}',
    help: 'Times the consumer lost its group and joined again',
    labels: [],
  },
  deadLetters: {
    name: 'agentwallet.stream.dead_letters',
    kind: 'counter',
    unit: '{message}',
    help: 'Messages that are not events and were moved to the dead-letter topic',
    labels: [],
  },
  depositsSeen: {
    name: 'agentwallet.deposits.seen',
    kind: 'counter',
    unit: '{deposit}',
    help: "Deposits into agents' wallets that were detected and published",
    labels: [],
  },
  depositsUnreadable: {
    name: 'agentwallet.deposits.unreadable',
    kind: 'counter',
    unit: '{transaction}',
    help: 'Transactions of watched accounts that the RPC node refuses or that cannot be decoded; retried rarely',
    labels: [],
  },
  gaugeFailures: {
    name: 'agentwallet.telemetry.gauge_failures',
    kind: 'counter',
    unit: '{reading}',
    help: 'Gauge readings that failed or timed out; the gauges are absent meanwhile',
    labels: [],
  },
  eventLoopDelay: {
    name: 'nodejs.eventloop.delay',
    kind: 'gauge',
    unit: 's',
    help: 'Delay of timers since the previous reading',
    labels: [A.quantile.name],
  },
  processMemory: {
    name: 'process.memory.usage',
    kind: 'gauge',
    unit: 'By',
    help: 'Memory used by the process',
    labels: [A.memory.name],
  },
  operationDuration: {
    name: 'agentwallet.operation.duration',
    kind: 'histogram',
    unit: 's',
    help: 'Time from the request of an operation to its outcome',
    labels: [A.action.name, A.state.name],
    buckets: WAITING_BUCKETS,
  },
  ingestDelay: {
    name: 'agentwallet.events.ingest_delay',
    kind: 'histogram',
    unit: 's',
    help: 'Time from an event until history recorded it; a duplicate counts again',
    labels: [],
    buckets: WAITING_BUCKETS,
  },
  policyDecisions: {
    name: 'agentwallet.policy.decisions',
    kind: 'counter',
    unit: '{decision}',
    help: 'Permit requests by decision',
    labels: [A.decision.name],
  },
  policyUnpriced: {
    name: 'agentwallet.policy.unpriced',
    kind: 'counter',
    unit: '{price}',
    help: 'Prices that policy did not count with, by reason',
    labels: [A.unpriced.name],
  },
  reservationsUnaccounted: {
    name: 'agentwallet.reservations.unaccounted_usd',
    kind: 'gauge',
    unit: 'USD',
    help: 'Open reservations missing from the limit counters; must be 0',
    labels: [],
  },
  ledgerDiscrepancy: {
    name: 'agentwallet.ledger.discrepancy_usd',
    kind: 'gauge',
    unit: 'USD',
    help: 'External balance minus ledger balance that the last reconciliation could not explain; negative is a shortfall',
    labels: [A.location.name],
  },
  ledgerPositions: {
    name: 'agentwallet.ledger.position_discrepancies',
    kind: 'gauge',
    unit: '{market}',
    help: 'Markets whose position at the exchange differs from the ledger',
    labels: [],
  },
  ordersHalted: {
    name: 'agentwallet.orders.halted',
    kind: 'gauge',
    unit: '1',
    help: '1 while new orders are halted because of a discrepancy',
    labels: [],
  },
  certificateEnd: {
    name: 'agentwallet.certificate.expires_at',
    kind: 'gauge',
    unit: 's',
    help: 'Expiry of a certificate in use, in Unix time',
    labels: [A.certificate.name],
  },
  operationsUnreadable: {
    name: 'agentwallet.operations.unreadable',
    kind: 'gauge',
    unit: '{operation}',
    help: 'Operations that are parked because this version of the service cannot read their plan',
    labels: [A.action.name, A.state.name],
  },
  connectionsRefused: {
    name: 'agentwallet.connections.refused',
    kind: 'counter',
    unit: '{connection}',
    help: 'Connections to the public API that were closed at once because too many were open',
    labels: [A.bound.name],
  },
  changeStreamsUsed: {
    name: 'agentwallet.change_streams.used',
    kind: 'gauge',
    unit: '1',
    help: 'Used part of the places of a gateway for streams of changes or for followed agents, whichever is larger: 0 to 1',
    labels: [],
  },
  chainNodesLag: {
    name: 'agentwallet.chain_nodes.lag',
    kind: 'gauge',
    unit: '{slot}',
    help: 'Slots that a node of several is behind the highest of the quorum',
    labels: [A.node.name, A.host.name],
  },
  chainNodesAway: {
    name: 'agentwallet.chain_nodes.away',
    kind: 'gauge',
    unit: '1',
    help: '1 while a node of several is left alone as it asked, or its last call failed',
    labels: [A.node.name, A.host.name, A.away.name],
  },
  chainNodesOutvoted: {
    name: 'agentwallet.chain_nodes.outvoted',
    kind: 'counter',
    unit: '{answer}',
    help: 'Answers of a node that a quorum contradicted at the same slot',
    labels: [A.node.name, A.host.name],
  },
  chainNodesDisagreements: {
    name: 'agentwallet.chain_nodes.disagreements',
    kind: 'counter',
    unit: '{question}',
    help: 'Questions to which no quorum of nodes gave the same answer',
    labels: [],
  },
  ...OWNER_METRICS,
} as const satisfies Record<string, Metric>;

/** Attributes of a span or labels of a metric; what is undefined is left out. */
export type Attributes = Readonly<Record<string, string | number | undefined>>;

type MetricOf<Kind extends Metric['kind']> = Extract<(typeof METRICS)[keyof typeof METRICS], { readonly kind: Kind }>;

/** A counter of METRICS. */
export type CounterMetric = MetricOf<'counter'>;
/** A histogram of METRICS. */
export type HistogramMetric = MetricOf<'histogram'>;
/** A gauge of METRICS. */
export type GaugeMetric = MetricOf<'gauge'>;
