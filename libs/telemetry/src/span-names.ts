/** Names of spans; `<…>` is filled in from a closed set. */
export const SPANS = {
  rest: { name: '<method> <route>', help: 'A request of the public API, by the template of its route' },
  rpc: { name: '<rpc service>/<method>', help: 'A gRPC call, on both sides' },
  sql: { name: 'sql <statement>', help: 'A statement within a span, by its name' },
  outside: { name: '<peer> <call>', help: 'A request to the chain, the aggregator, the exchange or the mail server' },
  operation: {
    name: 'operation <action>',
    help: 'An operation that is carried on after its request, or after a crash',
  },
  publish: { name: 'event publish', help: 'An event that leaves an outbox for the stream; in the trace that wrote it' },
  record: { name: 'event record', help: 'An event that history takes into the log; in the trace that wrote it' },
} as const satisfies Record<string, { readonly name: string; readonly help: string }>;
