// The generated code that the services share with this package, through libs/contracts.
export * from './generated/areas.js';
export * as reflectionV1 from './generated/grpc/reflection/v1/reflection.js';
export * as rpcStatus from './generated/google/rpc/status.js';
export * as rpcErrorDetails from './generated/google/rpc/error_details.js';
