import type { gatewayV1 } from '@agent-wallet/contracts';
import type { GrpcController } from '@agent-wallet/platform';
import { Controller, Inject } from '@nestjs/common';
import { RevokeSessions } from '../application/connect/revoke-sessions.js';

/** The operator's commands at the gateway. */
@Controller()
export class OperatorController implements GrpcController<gatewayV1.GatewayOperatorServiceService> {
  constructor(@Inject(RevokeSessions) private readonly revoking: RevokeSessions) {}

  async revokeSessions(request: gatewayV1.RevokeSessionsRequest): Promise<gatewayV1.RevokeSessionsResponse> {
    return { revoked: await this.revoking.execute(request) };
  }
}
