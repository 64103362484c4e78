import { pino, type Logger } from 'pino';
import { currentRequest } from '../context/request-context.js';

export type { Logger };

/** A structured logger of one service; every line carries the request and agent it belongs to. */
export function createLogger(service: string, level = 'info'): Logger {
  return pino({
    level,
    base: { service },
    mixin: () => {
      const request = currentRequest();
      return request ? { requestId: request.requestId, agentId: request.agentId } : {};
    },
    // Belt and braces: secrets are wrapped in Secret, which prints itself as [secret].
    redact: ['*.password', '*.authorization', '*.headers.authorization', '*.token', '*.otpCode'],
  });
}
