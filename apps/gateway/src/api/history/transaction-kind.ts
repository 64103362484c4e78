import type { HistoryActionName } from '@agent-wallet/events';
import { namedToken, WRAPPED_SOL_MINT } from '@agent-wallet/kernel';
import type { z } from 'zod';
import type { ExactJson } from '../../application/responses/exact-json.js';

/** Facts that a service published of an operation: flat, amounts as digits with the unit last in the name. */
export type PublishedFacts = Readonly<Record<string, unknown>>;

/** The part of a record that its metadata needs. */
export interface DescribedRecord {
  readonly id: string;
  /** Base units; undefined while it is not known. */
  readonly amount?: bigint | undefined;
  readonly decimals: number;
  /** Unix milliseconds. */
  readonly updatedAtMs: bigint;
  readonly explorerUrl: (signature: string) => string;
}

/** The asset of everything that concerns prediction markets. */
export const USDC_MINT = namedToken('USDC')!.mint;

/** A kind of record in history. */
export interface TransactionKind<Metadata extends z.ZodObject = z.ZodObject> {
  readonly action: HistoryActionName;
  /** The prefix of the names of its records in openapi.json. */
  readonly component: string;
  /** The schema of `metadata`. Every field is there; what is not known, or does not apply, is null. */
  readonly metadata: Metadata;
  /** Returns `metadata`, in the names and units of the action's response. */
  describe(facts: PublishedFacts, record: DescribedRecord): { readonly [Name in keyof Metadata['shape']]: ExactJson };
  /** Returns the mint of the record's asset; null for the native coin, and where there is none. */
  mint(facts: PublishedFacts): string | null;
}

/** Defines a kind of record that no request begins. */
export function defineTransactionKind<Metadata extends z.ZodObject>(kind: TransactionKind<Metadata>): TransactionKind {
  return kind;
}

/** Returns the mint of a token; null for the native coin, which may be named by its wrapped mint. */
export function mintOf(mint: unknown): string | null {
  const named = textOf(mint);
  return named === WRAPPED_SOL_MINT ? null : named;
}

/** Returns a text that a service published; null where there is none. */
export function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** Units of digits, or of a number that a service published as one. */
export function unitsOf(value: unknown): bigint | undefined {
  return /^-?\d+$/.test(String(value)) ? BigInt(String(value)) : undefined;
}
