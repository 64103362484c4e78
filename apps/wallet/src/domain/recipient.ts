import { type AppError, invalidAddress } from '@agent-wallet/kernel';

/** Returns the error for a recipient that is the mint of a token. @param name its symbol, or `a token` */
export function isMintOf(name: string): AppError {
  const reason = `is the mint of ${name}, not a wallet. Put it in \`mint\`.`;
  return invalidAddress('to', 'mint', { reason });
}

/** Returns the error for a recipient that is an account of a program: money sent there cannot be moved again. */
export function belongsToProgram(): AppError {
  return invalidAddress('to', 'off_curve', { reason: 'is an account of a program. Send to a wallet.' });
}
