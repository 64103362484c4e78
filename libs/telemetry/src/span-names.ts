/** Names of spans; `audit.v1` is the event stream, whichever topic or table carries it. Every `<…>` comes from a closed set. */
export const SPANS = {
  rest: { name: '<method> <route>', help: 'A REST request, by its route template' },
  rpc: { name: '<rpc service>/<method>', help: 'A gRPC call, on both sides' },
  sql: { name: 'sql <statement>', help: 'A statement within a span, by its name' },
  upstream: {
    name: '<upstream> <method>',
    help: 'A request to the chain, the aggregator, the exchange or the mail server',
  },
  operation: {
    name: 'operation <action>',
    help: 'An operation that continues after its request, or after a crash',
  },
  publish: { name: 'send audit.v1', help: 'An event published from an outbox, in the trace that wrote it' },
  record: { name: 'process audit.v1', help: 'An event that history records, in the trace that wrote it' },
} as const satisfies Record<string, { readonly name: string; readonly help: string }>;
