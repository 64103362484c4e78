import { AppError } from '@agent-wallet/kernel';
import type { OwnerSettings } from '../../domain/owners/owner-settings.js';
import type { PasskeyVerifier } from '../../ports/passkey-verifier.js';

/** Where owners sign, and how their signatures are verified. */
export interface OwnerConsole extends OwnerSettings {
  readonly verifier: PasskeyVerifier;
}

/** The console of this deployment. @throws AppError OWNERS_NOT_CONFIGURED */
export function configured(console: OwnerConsole | undefined): OwnerConsole {
  if (!console) throw new AppError('OWNERS_NOT_CONFIGURED');
  return console;
}
