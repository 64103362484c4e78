import { AppError } from '@agent-wallet/kernel';
import type { OwnerSettings } from '../../domain/owners/owner-settings.js';
import type { PasskeyVerifier } from '../../ports/passkey-verifier.js';

/** The console that owners sign at, with the verifier of their signatures. */
export interface OwnerConsole extends OwnerSettings {
  readonly verifier: PasskeyVerifier;
}

/** Returns the console of this deployment. @throws AppError OWNERS_NOT_CONFIGURED */
export function configured(console: OwnerConsole | undefined): OwnerConsole {
  if (!console) throw new AppError('OWNERS_NOT_CONFIGURED');
  return console;
}
