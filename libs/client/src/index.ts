export * from './generated/areas.js';
export { connect, type ConnectOptions, type Connection, type ServiceClient } from './connect.js';
export type { TlsFiles } from './channel/tls-files.js';
export type { CallOptions } from './call/call-options.js';
export type { MethodSafety, ServiceDefinition } from './call/definition.js';
export type { RetryPolicy } from './call/retry-policy.js';
export { CallError, type ErrorCode, type FieldProblem } from './errors/call-error.js';
