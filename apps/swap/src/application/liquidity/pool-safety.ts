import { AppError, NAMED_TOKENS } from '@agent-wallet/kernel';
import type { MintState } from '@agent-wallet/solana';
import { assertMovable } from '../../domain/token-warnings.js';
import type { HeldSide } from './read-position.js';

const NAMED: ReadonlySet<string> = new Set(NAMED_TOKENS.map(({ mint }) => mint));

/** Reports whether a token has a name here, so that the powers of its issuer are accepted. */
export function isNamed(mint: string): boolean {
  return NAMED.has(mint);
}

/** Returns the powers over a token that its mint gives to others. */
export function powersOver(mint: MintState): readonly string[] {
  const powers = Object.entries({
    freeze_authority: mint.freezeAuthority,
    mint_authority: mint.mintAuthority,
    permanent_delegate: mint.permanentDelegate,
    transfer_hook: mint.transferHook,
  }).flatMap(([name, holder]) => (holder === null ? [] : name));
  return mint.accountsBeginFrozen ? [...powers, 'accounts_begin_frozen'] : powers;
}

/**
 * Refuses a token over which a stranger has power, unless it has a name here: the issuers of stablecoins may freeze
 * accounts. In a pool such power takes from everyone who provides liquidity.
 * @throws AppError UNSAFE_TOKEN
 */
export function assertSafe(side: HeldSide): void {
  const { token, mint, known } = side;
  const { symbol } = token;
  assertNotFrozen(side);
  assertMovable(token, known.safety?.unsafeExtensions ?? []);
  if (isNamed(token.mint)) return;
  if (mint.transferFee)
    throw unsafe(side, ['transfer_fee'], `${symbol} withholds a fee from its transfers. Choose another pool.`);
  const powers = powersOver(mint);
  if (powers.length > 0)
    throw unsafe(side, powers, `Others have power over ${symbol}: ${powers.join(', ')}. Choose another pool.`);
  if (!known.verified)
    throw unsafe(side, ['not_verified'], `${symbol} is not verified: check that its mint is the one you mean.`);
}

/** Refuses a token whose issuer has frozen the wallet's account, or would. @throws AppError UNSAFE_TOKEN */
export function assertNotFrozen(side: HeldSide): void {
  const { token, mint, hasAccount, isFrozen } = side;
  if (!isFrozen && (hasAccount || !mint.accountsBeginFrozen)) return;
  throw unsafe(
    side,
    ['frozen_wallet'],
    `The issuer of ${token.symbol} has frozen the wallet's account. Choose another token, or ask its issuer.`,
  );
}

function unsafe({ token }: HeldSide, reasons: readonly string[], message: string): AppError {
  return new AppError('UNSAFE_TOKEN', { message, data: { mint: token.mint, reasons } });
}
