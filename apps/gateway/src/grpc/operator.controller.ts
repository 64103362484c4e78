import { gatewayV1 } from '@agent-wallet/contracts';
import { Controller, Inject } from '@nestjs/common';
import { RevokeSessions } from '../application/connect/revoke-sessions.js';

/** What operators may do at the gateway. */
@Controller()
@gatewayV1.GatewayOperatorServiceControllerMethods()
export class OperatorController implements gatewayV1.GatewayOperatorServiceController {
  constructor(@Inject(RevokeSessions) private readonly revoking: RevokeSessions) {}

  async revokeSessions(request: gatewayV1.RevokeSessionsRequest): Promise<gatewayV1.RevokeSessionsResponse> {
    return { revoked: await this.revoking.execute(request) };
  }
}
