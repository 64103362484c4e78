/*
 * Every name that telemetry uses: spans, attributes, metrics. Nothing is measured under a name that is not here, and
 * docs/telemetry.md is made from this file (tools/docs/telemetry-tables.mjs; a test keeps it true).
 */
import { ATTRIBUTES } from './attributes.js';
import type { Metric } from './metric.js';

export { ATTRIBUTES } from './attributes.js';
export type { Metric } from './metric.js';
export { SPANS } from './span-names.js';

const LATENCY_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25];
/** What agents wait for: a second when all is well, minutes when a message has to be proven dead first. */
const WAITING_BUCKETS = [0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900, 3_600];

const A = ATTRIBUTES;

/** Every metric. Append; a name that dashboards know is never given another meaning. */
export const METRICS = {
  httpServerDuration: {
    name: 'http.server.request.duration',
    kind: 'histogram',
    unit: 's',
    help: 'Requests of the public API: how many, how they ended, how long they took',
    labels: [A.method.name, A.route.name, A.statusCode.name],
    buckets: LATENCY_BUCKETS,
  },
  rpcServerDuration: {
    name: 'rpc.server.call.duration',
    kind: 'histogram',
    unit: 's',
    help: 'gRPC calls that were served',
    labels: [A.rpcService.name, A.rpcMethod.name, A.errorType.name],
    buckets: LATENCY_BUCKETS,
  },
  rpcClientDuration: {
    name: 'rpc.client.call.duration',
    kind: 'histogram',
    unit: 's',
    help: 'gRPC calls that were made, those without an answer too',
    labels: [A.rpcService.name, A.rpcMethod.name, A.errorType.name],
    buckets: LATENCY_BUCKETS,
  },
  outsideDuration: {
    name: 'agentwallet.outside.duration',
    kind: 'histogram',
    unit: 's',
    help: 'Requests to the chain, the aggregator, the exchange and the mail server',
    labels: [A.peer.name, A.call.name, A.errorType.name],
    buckets: LATENCY_BUCKETS,
  },
  loopFailures: {
    name: 'agentwallet.loop.failures',
    kind: 'counter',
    unit: '{round}',
    help: 'Rounds of background loops that failed and are tried again',
    labels: [A.loop.name],
  },
  operationChanges: {
    name: 'agentwallet.operation.changes',
    kind: 'counter',
    unit: '{change}',
    help: 'Operations that came into a state',
    labels: [A.action.name, A.state.name],
  },
  operationsOpen: {
    name: 'agentwallet.operations.open',
    kind: 'gauge',
    unit: '{operation}',
    help: 'Operations without an outcome, and with one that is not final yet; submitted ones may or may not have landed',
    labels: [A.action.name, A.state.name],
  },
  operationsOldest: {
    name: 'agentwallet.operations.oldest_age',
    kind: 'gauge',
    unit: 's',
    help: 'Age of the oldest of them; of submitted ones: for how long an outcome has been unknown',
    labels: [A.action.name, A.state.name],
  },
  requestsUnknown: {
    name: 'agentwallet.requests.unknown',
    kind: 'gauge',
    unit: '{request}',
    help: 'Requests of agents that were answered 202, or not at all, and have no final answer yet',
    labels: [],
  },
  requestsUnknownOldest: {
    name: 'agentwallet.requests.unknown_oldest_age',
    kind: 'gauge',
    unit: 's',
    help: 'Age of the oldest of them',
    labels: [],
  },
  reservationsOpen: {
    name: 'agentwallet.reservations.open',
    kind: 'gauge',
    unit: '{reservation}',
    help: 'Spending that is reserved and neither settled nor released',
    labels: [],
  },
  reservationsOpenUsd: {
    name: 'agentwallet.reservations.open_usd',
    kind: 'gauge',
    unit: 'USD',
    help: 'Its sum in dollars',
    labels: [],
  },
  reservationsOldest: {
    name: 'agentwallet.reservations.oldest_age',
    kind: 'gauge',
    unit: 's',
    help: 'Age of the oldest open reservation',
    labels: [],
  },
  recovering: {
    name: 'agentwallet.recovering',
    kind: 'gauge',
    unit: '1',
    help: '1 while nothing is permitted because the database was put back and the chain is read again',
    labels: [],
  },
  outboxSize: {
    name: 'agentwallet.outbox.size',
    kind: 'gauge',
    unit: '{event}',
    help: 'Events that wait in the outbox',
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
    help: 'Events that the stream has taken',
    labels: [],
  },
  eventsPublishFailures: {
    name: 'agentwallet.events.publish_failures',
    kind: 'counter',
    unit: '{batch}',
    help: 'Batches that the stream did not take; each is tried again',
    labels: [],
  },
  eventsConsumed: {
    name: 'agentwallet.events.consumed',
    kind: 'counter',
    unit: '{event}',
    help: 'Events that were read from the stream and handled',
    labels: [],
  },
  eventsDead: {
    name: 'agentwallet.events.dead',
    kind: 'gauge',
    unit: '{event}',
    help: 'Events that could not be read and were set aside',
    labels: [],
  },
  streamLag: {
    name: 'agentwallet.events.lag',
    kind: 'gauge',
    unit: '{event}',
    help: 'Events of the stream that the consumer has not handled yet',
    labels: [],
  },
  streamRetries: {
    name: 'agentwallet.stream.retries',
    kind: 'counter',
    unit: '{request}',
    help: 'Requests to Kafka that failed and were made again at once',
    labels: [],
  },
  streamOutages: {
    name: 'agentwallet.stream.outages',
    kind: 'counter',
    unit: '{outage}',
    help: 'Times that the consumer lost its group and had to join it again',
    labels: [],
  },
  deadLetters: {
    name: 'agentwallet.stream.dead_letters',
    kind: 'counter',
    unit: '{message}',
    help: 'Messages of the stream that are no events and went to the topic of dead letters',
    labels: [],
  },
  depositsSeen: {
    name: 'agentwallet.deposits.seen',
    kind: 'counter',
    unit: '{deposit}',
    help: "Deposits into agents' wallets that were found and told",
    labels: [],
  },
  readingFailures: {
    name: 'agentwallet.telemetry.reading_failures',
    kind: 'counter',
    unit: '{reading}',
    help: 'Readings for gauges that failed or took too long; their gauges are absent meanwhile',
    labels: [],
  },
  eventLoopDelay: {
    name: 'nodejs.eventloop.delay',
    kind: 'gauge',
    unit: 's',
    help: 'How late timers fire, since the reading before',
    labels: [A.quantile.name],
  },
  processMemory: {
    name: 'process.memory.usage',
    kind: 'gauge',
    unit: 'By',
    help: 'Memory of the process',
    labels: [A.memory.name],
  },
  operationDuration: {
    name: 'agentwallet.operation.duration',
    kind: 'histogram',
    unit: 's',
    help: 'From the request of an operation to its outcome',
    labels: [A.action.name, A.state.name],
    buckets: WAITING_BUCKETS,
  },
  recordDelay: {
    name: 'agentwallet.events.record_delay',
    kind: 'histogram',
    unit: 's',
    help: 'From what happened until history has recorded its event; one that comes twice counts twice',
    labels: [],
    buckets: WAITING_BUCKETS,
  },
  policyDecisions: {
    name: 'agentwallet.policy.decisions',
    kind: 'counter',
    unit: '{decision}',
    help: 'Permits that were asked for, and what became of it',
    labels: [A.verdict.name],
  },
  reservationsUncounted: {
    name: 'agentwallet.reservations.uncounted_usd',
    kind: 'gauge',
    unit: 'USD',
    help: 'Reserved spending that the sums which limits are held against lack; anything but 0 is a broken promise',
    labels: [],
  },
  booksUnexplained: {
    name: 'agentwallet.books.unexplained_usd',
    kind: 'gauge',
    unit: 'USD',
    help: 'What the last comparison of the books found outside and cannot explain; below 0 it is missing',
    labels: [A.place.name],
  },
  booksPositions: {
    name: 'agentwallet.books.unexplained_positions',
    kind: 'gauge',
    unit: '{market}',
    help: 'Markets whose contracts at the exchange are not those of the books',
    labels: [],
  },
  ordersStopped: {
    name: 'agentwallet.orders.stopped',
    kind: 'gauge',
    unit: '1',
    help: '1 while no new orders are taken, because something is missing',
    labels: [],
  },
  certificateEnd: {
    name: 'agentwallet.certificate.expires_at',
    kind: 'gauge',
    unit: 's',
    help: 'When a certificate in use ends, in Unix time',
    labels: [A.certificate.name],
  },
  operationsUnreadable: {
    name: 'agentwallet.operations.unreadable',
    kind: 'gauge',
    unit: '{operation}',
    help: 'Operations that are parked because this version of the service cannot read their plan',
    labels: [A.action.name, A.state.name],
  },
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
