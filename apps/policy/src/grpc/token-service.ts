import type { policyV1 } from '@agent-wallet/contracts';
import type { GrpcController } from '@agent-wallet/platform';
import type { TokenUseCases } from '../use-cases.js';
import { readUuid } from './messages.js';
import { readGrant, readKey, tokenMessage } from './token-messages.js';

/** Handles the gRPC methods of scoped tokens. */
export function tokenService(useCases: TokenUseCases): GrpcController<policyV1.TokenServiceService> {
  const { tokens, opening, ending, binding } = useCases;
  return {
    openToken: async ({ grant, ...key }) => ({
      token: tokenMessage(await opening.execute(readKey(key), readGrant(grant))),
    }),
    endToken: async (request) => ({ voidedOperationIds: await ending.execute(readKey(request)) }),
    listTokens: async ({ agentId }) => ({
      tokens: (await tokens.list(readUuid('agentId', agentId))).map(tokenMessage),
    }),
    bindOperation: async ({ operationId, ...key }) => {
      await binding.execute(readKey(key), readUuid('operationId', operationId));
      return {};
    },
  };
}
