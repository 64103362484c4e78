import { AppError } from '@agent-wallet/kernel';

/** A field that a service of ours always sets. @throws AppError INTERNAL_ERROR when it did not */
export function present<T>(value: T | undefined, name: string): T {
  if (value === undefined) throw new AppError('INTERNAL_ERROR', { message: `an answer came without ${name}` });
  return value;
}
