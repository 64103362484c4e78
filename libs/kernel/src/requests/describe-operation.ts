import type { NamedToken } from '../tokens/known-tokens.js';

/** An operation that waits for an approval, as its document says it. A document of a later release may have other terms. */
export interface RequestedOperation {
  readonly action: string;
  readonly terms: Readonly<Record<string, string | undefined>>;
  /** Dollars; null where the document states none. */
  readonly valueUsd: string | number | null;
  readonly reasons: readonly string[];
}

const ADDRESS = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;
const AMOUNT = /^(0|[1-9]\d{0,19})$/;
const COUNT = /^\d{1,18}(\.\d{1,2})?$/;
const TICKER = /^[\w.-]{1,64}$/;
const MAX_DECIMALS = 30;
const SHOWN_CHARACTERS = 4;

/**
 * Returns what an operation does in one line, such as `pay 55 USDC ($55.00) to 8dPB…xRHc (new)`. A symbol is named only for
 * a token of the list, and base units are never shown. A term that is not as expected is left out.
 */
export function describeOperation(operation: RequestedOperation, tokens: readonly NamedToken[]): string {
  const { action, terms } = operation;
  const value = valueOf(operation.valueUsd);
  const amount = (mint?: string, units?: string, decimals?: string) => tokenAmount({ mint, units, decimals }, tokens);
  switch (action) {
    case 'transfer':
      return `pay ${amount(terms.mint, terms.amount, terms.decimals)}${value} to ${recipientOf(operation)}`;
    case 'trade': {
      const output = amount(terms.outputMint, terms.minOutputAmount);
      return `trade ${amount(terms.inputMint, terms.inputAmount)}${value} for at least ${output}`;
    }
    case 'liquidity_add': {
      const [one, other] = [amount(terms.mint0, terms.maxAmount0), amount(terms.mint1, terms.maxAmount1)];
      return `put up to ${one} and ${other}${value} into a pool`;
    }
    case 'prediction_buy': {
      const count = COUNT.test(terms.count ?? '') ? terms.count : 'some';
      const side = terms.side === 'yes' || terms.side === 'no' ? terms.side.toUpperCase() : 'contracts';
      return `buy ${count} ${side} of ${TICKER.test(terms.ticker ?? '') ? terms.ticker : 'a market'}${value}`;
    }
    default:
      return `make a transaction${value}`;
  }
}

/** Returns an address by its first and last characters; to compare addresses, show them whole. */
export function shortAddress(address: string): string {
  return `${address.slice(0, SHOWN_CHARACTERS)}…${address.slice(-SHOWN_CHARACTERS)}`;
}

/** Returns base units in the standard unit, exactly. */
export function showUnits(amount: string, decimals: number): string {
  const digits = amount.padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const part = decimals > 0 ? digits.slice(-decimals).replace(/0+$/, '') : '';
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return part ? `${grouped}.${part}` : grouped;
}

/** Returns dollars with cents; a smaller value than a cent is not shown as none. */
export function showDollars(value: number): string {
  if (value > 0 && value < 0.01) return 'less than $0.01';
  return new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' }).format(value);
}

function valueOf(usd: string | number | null): string {
  const value = Number(usd ?? 0);
  return value > 0 && Number.isFinite(value) ? ` (${showDollars(value)})` : '';
}

function recipientOf({ terms: { recipient = '', lookalikeOf }, reasons }: RequestedOperation): string {
  const name = ADDRESS.test(recipient) ? shortAddress(recipient) : 'an address';
  if (lookalikeOf !== undefined) return `${name} (careful: looks like a known address)`;
  return reasons.includes('new_recipient') ? `${name} (new)` : name;
}

interface TokenAmount {
  readonly mint: string | undefined;
  readonly units: string | undefined;
  readonly decimals: string | undefined;
}

function tokenAmount({ mint = '', units = '', decimals }: TokenAmount, tokens: readonly NamedToken[]): string {
  // The native coin is the first of the list.
  const token = mint === 'native' ? tokens[0] : tokens.find((each) => each.mint === mint);
  if (!token && !ADDRESS.test(mint)) return 'a token';
  const name = token?.symbol ?? `the token ${shortAddress(mint)}`;
  const places = decimals === undefined ? (token?.decimals ?? NaN) : Number(decimals);
  const isKnown = AMOUNT.test(units) && Number.isInteger(places) && places >= 0 && places <= MAX_DECIMALS;
  if (!isKnown) return name;
  return `${showUnits(units, places)} ${token ? name : `of ${name}`}`;
}
