/** A JSON-RPC error, with a node's code and words. */
export class RpcError extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly data?: unknown,
  ) {
    super(message);
    this.name = 'RpcError';
  }
}

/** Codes of the protocol and of Solana's nodes. */
export const RpcCode = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  preflightFailure: -32002,
  signatureVerification: -32003,
  minContextSlot: -32016,
  unsupportedVersion: -32015,
  blockNotAvailable: -32004,
  blockCleanedUp: -32001,
} as const;

/** A parameter that is not what the method takes. */
export function invalidParams(message: string): RpcError {
  return new RpcError(RpcCode.invalidParams, `Invalid params: ${message}`);
}
