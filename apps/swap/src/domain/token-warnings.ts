import { AppError } from '@agent-wallet/kernel';
import type { Token } from './tokens.js';

/** Severity of a warning. */
type Severity = 'info' | 'warning' | 'critical';

/** A reason against a token. */
export interface TokenWarning {
  readonly mint: string;
  readonly type: string;
  readonly severity: Severity;
  /** For people. Always ours: an agent that reads it must not get instructions from a stranger. */
  readonly message: string;
}

/** Powers over a token that its mint gives to others. An address is empty when no one has that power. */
export interface MintPowers {
  readonly freezeAuthority: string;
  readonly mintAuthority: string;
  readonly permanentDelegate: string;
  readonly transferHook: string;
  readonly transferFeeBps: number;
}

/** A warning of the aggregator: its own words are not passed on. */
export interface ReportedWarning {
  readonly type: string;
  readonly severity: Severity;
}

const MESSAGES: Readonly<Record<string, string>> = {
  NOT_VERIFIED: 'The token is not verified: check that its mint is the one that you mean.',
  LOW_LIQUIDITY: 'Little of the token can be traded without moving its price.',
  NOT_SELLABLE: 'The token may not be sellable again.',
  LOW_ORGANIC_ACTIVITY: 'Few real people seem to trade the token.',
  HAS_MINT_AUTHORITY: 'More of the token can be made at any time.',
  HAS_FREEZE_AUTHORITY: 'The issuer can freeze accounts that hold the token.',
  HAS_PERMANENT_DELEGATE: 'A permanent delegate can move or burn the token in any account.',
  HAS_TRANSFER_HOOK: 'Every transfer of the token calls a program of its issuer.',
  NEW_LISTING: 'The token was listed a short while ago.',
  VERY_LOW_TRADING_ACTIVITY: 'The token is hardly traded.',
  HIGH_SUPPLY_CONCENTRATION: 'A few accounts hold most of the token.',
  NON_TRANSFERABLE: 'The token cannot be transferred.',
  MUTABLE_TRANSFER_FEES: 'The fee on transfers of the token can be changed.',
  TRANSFER_FEES: 'A part of every transfer of the token is withheld.',
  SUSPICIOUS_DEV_ACTIVITY: 'The makers of the token behave suspiciously.',
  SUSPICIOUS_TOP_HOLDER_ACTIVITY: 'The largest holders of the token behave suspiciously.',
  HIGH_SINGLE_OWNERSHIP: 'One account holds a large part of the token.',
};
const OTHER_MESSAGE = 'The aggregator warns of the token.';
const FEES = /^\d{1,3}(\.\d{1,4})?%_TRANSFER_FEES$/;

/**
 * Returns all warnings of a token: those that the aggregator reports and those of its mint, each kind once. Unknown
 * kinds count as one, because their names are a stranger's words and their number has no bound.
 */
export function warningsOf(
  { mint }: Pick<Token, 'mint'>,
  reported: readonly ReportedWarning[],
  powers: MintPowers,
): readonly TokenWarning[] {
  const found = new Map<string, TokenWarning>();
  for (const { type, severity } of [...reported, ...powersOf(powers)]) {
    const known = FEES.test(type) ? 'TRANSFER_FEES' : Object.hasOwn(MESSAGES, type) ? type : 'OTHER';
    const same = found.get(known);
    if (same && weight(same.severity) >= weight(severity)) continue;
    found.set(known, { mint, type: known, severity, message: MESSAGES[known] ?? OTHER_MESSAGE });
  }
  return [...found.values()];
}

/** Refuses tokens with critical warnings. @throws AppError UNSAFE_TOKEN, naming them */
export function assertNotCritical(warnings: readonly TokenWarning[]): void {
  const critical = warnings.filter(({ severity }) => severity === 'critical');
  const [first] = critical;
  if (!first) return;
  const types = [...new Set(critical.map(({ type }) => type))];
  const reasons = critical.filter(({ mint }) => mint === first.mint).map(({ type }) => type);
  throw new AppError('UNSAFE_TOKEN', {
    message: `The tokens have critical warnings: ${types.join(', ')}. Set allowRisky to trade anyway.`,
    data: { mint: first.mint, reasons },
  });
}

/** Refuses tokens whose extensions let a third party decide what a transfer does. @throws AppError UNSAFE_TOKEN */
export function assertMovable(
  { mint, symbol }: Pick<Token, 'mint' | 'symbol'>,
  unsafeExtensions: readonly string[],
): void {
  if (unsafeExtensions.length === 0) return;
  throw new AppError('UNSAFE_TOKEN', {
    message: `${symbol} cannot be moved safely, because its mint has: ${unsafeExtensions.join(', ')}. Choose another token.`,
    data: { mint, reasons: unsafeExtensions },
  });
}

function powersOf(powers: MintPowers): ReportedWarning[] {
  const has = (is: boolean, type: string, severity: Severity) => (is ? [{ type, severity }] : []);
  return [
    ...has(powers.freezeAuthority !== '', 'HAS_FREEZE_AUTHORITY', 'info'),
    ...has(powers.mintAuthority !== '', 'HAS_MINT_AUTHORITY', 'info'),
    ...has(powers.permanentDelegate !== '', 'HAS_PERMANENT_DELEGATE', 'critical'),
    ...has(powers.transferHook !== '', 'HAS_TRANSFER_HOOK', 'warning'),
    ...has(powers.transferFeeBps > 0, 'TRANSFER_FEES', 'warning'),
  ];
}

function weight(severity: Severity): number {
  return ['info', 'warning', 'critical'].indexOf(severity);
}
