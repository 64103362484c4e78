import type { Transaction } from '../api/records.js';
import { quotedText } from '../approval/quoted-text.js';
import { shortAddress, showAmount, showWord } from '../parts/show.js';
import { labelled } from '../parts/words-of.js';
import { TEXTS } from '../texts.js';

const WORDS = TEXTS.activity;
const MEMO_CHARACTERS = 40;

/** A transaction in words for a list. */
export interface TransactionWords {
  readonly title: string;
  /** The other side, the memo or the market; empty where there is none. */
  readonly detail: string;
  /** The amount that moved; empty where nothing did. */
  readonly value: string;
  readonly status: string;
  /** Class of the status’s tag. */
  readonly tone: 'good' | 'warn' | 'refused' | '';
  /** Why it was not done; empty unless it failed. */
  readonly reason: string;
}

const TONES: Readonly<Record<string, TransactionWords['tone']>> = {
  confirmed: 'good',
  awaiting_approval: 'warn',
  failed: 'refused',
  rejected_by_policy: 'refused',
};

/** Puts a transaction in words. */
export function transactionWords(transaction: Transaction): TransactionWords {
  const { action, status } = transaction;
  return {
    title: WORDS.actions[action] ?? showWord(action),
    detail: detailOf(transaction),
    value: valueOf(transaction),
    status: WORDS.states[status] ?? showWord(status),
    tone: TONES[status] ?? '',
    reason: labelled(textOf(metadataOf(transaction).errorMessage)),
  };
}

/** Returns the metadata of a transaction of any action, known or not. */
export function metadataOf({ metadata }: Transaction): Readonly<Record<string, unknown>> {
  return metadata;
}

/** Returns a text; empty for anything else. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function detailOf(transaction: Transaction): string {
  const { memo, from, ticker, changes } = metadataOf(transaction);
  const { action, to } = transaction;
  const parts = [
    ...(to === undefined ? [] : [WORDS.to(shortAddress(to))]),
    ...(action === 'deposit' && textOf(from) !== '' ? [WORDS.from(shortAddress(textOf(from)))] : []),
    ...(textOf(memo) === '' ? [] : [memoOf(textOf(memo))]),
    ...(textOf(ticker) === '' ? [] : [quotedText(textOf(ticker)).shown]),
    ...(Array.isArray(changes) ? [labelled(changes.map(fieldOf).join(', '))] : []),
  ];
  return parts.join(' · ');
}

function memoOf(memo: string): string {
  const { shown, cut } = quotedText(memo, MEMO_CHARACTERS);
  return `“${shown}${cut > 0 ? '…' : ''}”`;
}

function fieldOf(change: unknown): string {
  return textOf((Object(change) as { field?: unknown }).field);
}

function valueOf(transaction: Transaction): string {
  const { action, amount, asset } = transaction;
  const { from, to, inputAmount, outputAmount, count, side, tokens } = metadataOf(transaction);
  if (action === 'trade' && textOf(outputAmount) !== '') {
    return WORDS.trade(amountOf(inputAmount, from), amountOf(outputAmount, to));
  }
  if (Array.isArray(tokens) && tokens.length > 0) return tokens.map(tokenOf).join(' + ');
  if (side !== undefined && count !== undefined) return TEXTS.positions.contracts(Number(count), textOf(side));
  return amount === null ? '' : [showAmount(amount), asset].filter(Boolean).join(' ');
}

function tokenOf(token: unknown): string {
  const { amount, symbol } = Object(token) as { amount?: unknown; symbol?: unknown };
  return amountOf(amount, symbol);
}

/** Shows an amount, which may name its token: `15 USDC`. */
function amountOf(given: unknown, name: unknown): string {
  const [amount, own] = String(given).split(' ', 2);
  const token = own ?? textOf(name);
  return `${showAmount(Number(amount))} ${token.length > 32 ? shortAddress(token) : quotedText(token).shown}`;
}
