import type { TokensService } from '../ports/tokens-service.js';
import { required } from '../ports/services.js';
import type { Clients } from './grpc-clients.js';
import { callWithReconnect } from './grpc-services.js';

/** Returns policy's part of scoped tokens over gRPC. */
export function tokensService({ tokens }: Clients): TokensService {
  return {
    open: async (key, grant) =>
      required(
        (await callWithReconnect(tokens, (within) => tokens.openToken({ ...key, grant }, within))).token,
        'token',
      ),
    end: async (key) => (await callWithReconnect(tokens, (within) => tokens.endToken(key, within))).voidedOperationIds,
    list: async (agentId) =>
      (await callWithReconnect(tokens, (within) => tokens.listTokens({ agentId }, within))).tokens,
    bind: async (key, operationId) => {
      await callWithReconnect(tokens, (within) => tokens.bindOperation({ ...key, operationId }, within));
    },
  };
}
