import type { gatewayV1 } from '@agent-wallet/contracts';
import type { GrpcController } from '@agent-wallet/platform';
import type { RevokeSessions } from '../application/connect/revoke-sessions.js';

/** Handles the operator's commands at the gateway. */
export function operatorService(revoking: RevokeSessions): GrpcController<gatewayV1.GatewayOperatorServiceService> {
  return { revokeSessions: async (request) => ({ revoked: await revoking.execute(request) }) };
}
