import type { Logger } from '@agent-wallet/platform';

/** Logs an operation whose request or plan cannot be read, and which is parked for a minute. */
export function unreadableLog(logger: Logger): (operationId: string, err: Error) => void {
  return (operationId, err) =>
    logger.error(
      { event: 'operation.plan_read_failed', operationId, err },
      'Operation plan is unreadable; retrying every minute',
    );
}
