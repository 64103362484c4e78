import { type DestinationStream, pino } from 'pino';
import { currentSpanIds } from '@agent-wallet/telemetry';
import { describeError } from './describe-error.js';
import type { LogFields, LogLevel } from './log-events.js';
import { currentRequest } from '../context/request-context.js';

/** Writes lines that name an event of `LOG_EVENTS` at its level, and say it in one short sentence. */
export type Logger = {
  readonly [Level in LogLevel]: (fields: LogFields<Level>, message: string) => void;
} & { readonly bindings: () => Readonly<Record<string, unknown>> };

const STANDARD_OUTPUT = 1;
/** Maximum size of lines that wait for room on a full disk. */
const MAX_WAITING_BYTES = 1 << 20;

/**
 * Opens the output of log lines. If standard output is a file on a full disk, lines wait for room. Beyond a megabyte
 * they are lost, and the service goes on.
 */
export function logOutput(fd = STANDARD_OUTPUT): DestinationStream {
  const output = pino.destination({ fd, sync: true, maxLength: MAX_WAITING_BYTES });
  output.on('error', () => undefined);
  return output;
}

/** Creates the structured logger of one service; every line carries its request, agent and span. */
export function createLogger(service: string, level = 'info', output = logOutput()): Logger {
  const mixin = () => {
    const request = currentRequest();
    return { ...(request && { requestId: request.requestId, agentId: request.agentId }), ...currentSpanIds() };
  };
  // Belt and braces: secrets are wrapped in Secret, which prints itself as [secret].
  const redact = ['*.password', '*.authorization', '*.headers.authorization', '*.token', '*.otpCode'];
  return pino({ level, base: { service }, mixin, redact, serializers: { err: describeError } }, output);
}
