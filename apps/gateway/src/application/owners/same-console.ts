import { AppError } from '@agent-wallet/kernel';

/**
 * Rejects different settings of OWNER_ORIGIN at gateway and policy: no signature would count otherwise.
 * @throws AppError SERVICE_UNAVAILABLE, with a cause for the log
 */
export function assertSameConsole(own: string | undefined, ofPolicy: string): void {
  if (own === ofPolicy) return;
  throw new AppError('SERVICE_UNAVAILABLE', { cause: new Error(`OWNER_ORIGIN of policy is ${ofPolicy}, not ${own}`) });
}
