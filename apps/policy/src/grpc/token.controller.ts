import type { policyV1 } from '@agent-wallet/contracts';
import { AppError } from '@agent-wallet/kernel';
import type { GrpcController } from '@agent-wallet/platform';
import { Controller, Inject } from '@nestjs/common';
import { BindOperation, EndToken, ListTokens, OpenToken } from '../application/tokens/manage-tokens.js';
import type { SentGrant, Token } from '../domain/token.js';
import type { TokenKey } from '../ports/token-store.js';
import { readUuid } from './messages.js';

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
    if (!grant) throw AppError.field('grant', 'is required', 'required');
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

/** @throws AppError VALIDATION_ERROR */
function readKey({ agentId, tokenId }: TokenKey): TokenKey {
  return { agentId: readUuid('agentId', agentId), tokenId: readUuid('tokenId', tokenId) };
}

function readGrant({ recipients, expiresAtMs, ...grant }: policyV1.TokenGrant): SentGrant {
  return { ...grant, recipients: recipients?.addresses, expiresAtMs: Number(expiresAtMs) };
}

function tokenMessage(token: Token): policyV1.Token {
  const { id: tokenId, createdAtMs, usedTodayUsdMicros, usedUsdMicros, ...grant } = token;
  const { scopes, recipients, expiresAtMs, ...limits } = grant;
  return {
    tokenId,
    createdAtMs: BigInt(createdAtMs),
    usedTodayUsdMicros,
    usedUsdMicros,
    grant: {
      ...limits,
      scopes: [...scopes],
      recipients: recipients && { addresses: [...recipients] },
      expiresAtMs: BigInt(expiresAtMs),
    },
  };
}
