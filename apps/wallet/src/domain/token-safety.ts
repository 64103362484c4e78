import { AppError } from '@agent-wallet/kernel';

/** Token-2022 extensions that change nothing about what a transfer does. All others may, and unknown ones too. */
const HARMLESS = new Set([
  'mintCloseAuthority',
  'confidentialTransferMint',
  'metadataPointer',
  'tokenMetadata',
  'groupPointer',
  'tokenGroup',
  'groupMemberPointer',
  'tokenGroupMember',
]);

/**
 * Refuses a mint whose extensions let somebody else decide what a transfer does.
 * @throws AppError UNSAFE_TOKEN, naming them
 */
export function assertSafeToken(extensions: readonly string[]): void {
  const unsafe = extensions.filter((extension) => !HARMLESS.has(extension));
  if (unsafe.length === 0) return;
  throw new AppError('UNSAFE_TOKEN', {
    message: `The token cannot be moved safely, because its mint has: ${unsafe.join(', ')}.`,
    data: { extensions: unsafe.join(',') },
  });
}

/** Refuses a token account that its issuer has frozen. @throws AppError UNSAFE_TOKEN */
export function assertNotFrozen(isFrozen: boolean, whose: 'wallet' | 'recipient'): void {
  if (!isFrozen) return;
  throw new AppError('UNSAFE_TOKEN', {
    message: `The token's issuer has frozen the ${whose}'s account.`,
    data: { frozen: whose },
  });
}
