// The generated messages and services, one namespace an area.
export * as auditV1 from './generated/agentwallet/audit/v1/event.js';
export * as gatewayV1 from './generated/agentwallet/gateway/v1/gateway.js';
export * as historyV1 from './generated/agentwallet/history/v1/history.js';
export * as intentV1 from './generated/agentwallet/intent/v1/intent.js';
export * as operationsV1 from './generated/agentwallet/operations/v1/operations.js';
export * as policyV1 from './generated/agentwallet/policy/v1/policy.js';
export * as predictionV1 from './prediction-v1.js';
export * as signerV1 from './signer-v1.js';
export * as swapV1 from './generated/agentwallet/swap/v1/swap.js';
export * as walletV1 from './wallet-v1.js';
