import type { gatewayV1 } from '@agent-wallet/contracts';
import type { CallerLists } from '@agent-wallet/platform';

/** Callers that may use each method. */
export const OPERATOR_CALLERS: CallerLists<typeof gatewayV1.GatewayOperatorServiceService> = {
  revokeSessions: ['ops'],
};
