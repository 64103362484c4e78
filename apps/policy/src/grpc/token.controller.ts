import type { policyV1 } from '@agent-wallet/contracts';
import type { GrpcController } from '@agent-wallet/platform';
import { Controller, Inject } from '@nestjs/common';
import { BindOperation, EndToken, ListTokens, OpenToken } from '../application/tokens/manage-tokens.js';
import { readUuid } from './messages.js';
import { readGrant, readKey, tokenMessage } from './token-messages.js';

/** Policy's gRPC surface of scoped tokens. */
@Controller()
export class TokenController implements GrpcController<policyV1.TokenServiceService> {
  constructor(
    @Inject(OpenToken) private readonly opening: OpenToken,
    @Inject(EndToken) private readonly ending: EndToken,
    @Inject(ListTokens) private readonly tokens: ListTokens,
    @Inject(BindOperation) private readonly binding: BindOperation,
  ) {}

  async openToken({ grant, ...key }: policyV1.OpenTokenRequest): Promise<policyV1.OpenTokenResponse> {
    return { token: tokenMessage(await this.opening.execute(readKey(key), readGrant(grant))) };
  }

  async endToken(request: policyV1.EndTokenRequest): Promise<policyV1.EndTokenResponse> {
    return { voidedOperationIds: await this.ending.execute(readKey(request)) };
  }

  async listTokens({ agentId }: policyV1.ListTokensRequest): Promise<policyV1.ListTokensResponse> {
    return { tokens: (await this.tokens.execute(readUuid('agentId', agentId))).map(tokenMessage) };
  }

  async bindOperation({ operationId, ...key }: policyV1.BindOperationRequest): Promise<policyV1.BindOperationResponse> {
    await this.binding.execute(readKey(key), readUuid('operationId', operationId));
    return {};
  }
}
