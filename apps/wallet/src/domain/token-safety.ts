import { AppError } from '@agent-wallet/kernel';

/**
 * Token-2022 extensions that let no third party decide what a transfer does: the mint's own fee is known beforehand. All
 * others may, and unknown ones too.
 */
const HARMLESS = new Set([
  'transferFeeConfig',
  'mintCloseAuthority',
  'confidentialTransferMint',
  'metadataPointer',
  'tokenMetadata',
  'groupPointer',
  'tokenGroup',
  'groupMemberPointer',
  'tokenGroupMember',
]);

/** Properties of a mint that decide whether its token is moved. */
export interface MintTraits {
  /** Names of the Token-2022 extensions. */
  readonly extensions: readonly string[];
  readonly accountsBeginFrozen: boolean;
}

/** Returns the extensions for which a token is not moved. */
export function unsafeExtensions({ extensions, accountsBeginFrozen }: MintTraits): readonly string[] {
  const isHarmless = (name: string) => HARMLESS.has(name) || (name === 'defaultAccountState' && !accountsBeginFrozen);
  return extensions.filter((name) => !isHarmless(name));
}

/**
 * Refuses a mint whose extensions let a third party decide what a transfer does.
 * @throws AppError UNSAFE_TOKEN, naming them
 */
export function assertSafeToken(mint: MintTraits & { readonly address: string }): void {
  const unsafe = unsafeExtensions(mint);
  if (unsafe.length === 0) return;
  throw new AppError('UNSAFE_TOKEN', {
    message: `The token cannot be moved safely, because its mint has: ${unsafe.join(', ')}. Choose another token.`,
    data: { mint: mint.address, reasons: unsafe },
  });
}

/** Refuses a token account that its issuer has frozen. @throws AppError UNSAFE_TOKEN */
export function assertNotFrozen(
  { isFrozen, mint }: { readonly isFrozen: boolean; readonly mint: string },
  whose: 'wallet' | 'recipient',
): void {
  if (!isFrozen) return;
  throw new AppError('UNSAFE_TOKEN', {
    message: `The token's issuer has frozen the ${whose}'s account. Choose another token, or ask its issuer.`,
    data: { mint, reasons: [`frozen_${whose}`] },
  });
}
