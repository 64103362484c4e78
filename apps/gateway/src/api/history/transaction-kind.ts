import type { operationsV1 } from '@agent-wallet/contracts';
import type { HistoryActionName } from '@agent-wallet/events';
import { namedToken, WRAPPED_SOL_MINT } from '@agent-wallet/kernel';
import type { z } from 'zod';
import type { ExactJson } from '../../application/responses/exact-json.js';
import { type OutcomeName, outcomeOf, type PublishedOutcome } from './outcome.js';

type Fact = NonNullable<operationsV1.OperationFacts['action']>;

/** Names of the facts of records, by kind. */
export type FactName = Fact['$case'];

/** Facts of the records of one kind, as their service states them. */
export type FactsNamed<Name extends FactName> = Extract<Fact, { $case: Name }>['value'];

/** The asset of everything that concerns prediction markets. */
export const USDC_MINT = namedToken('USDC')!.mint;

/** Values of fields, by their names. */
export type Shown<Fields> = { readonly [Name in Exclude<keyof Fields, OutcomeName>]: ExactJson };

/** A kind of record in history. */
export interface TransactionKind<Metadata extends z.ZodObject = z.ZodObject, Name extends FactName = FactName> {
  readonly action: HistoryActionName;
  /** The prefix of the names of its records in openapi.json. */
  readonly component: string;
  /** The schema of `metadata`. Every field is there; what is not known, or does not apply, is null. */
  readonly metadata: Metadata;
  /** The name of its facts. */
  readonly facts: Name;
  /** Returns the fields of `metadata` beside the outcome; of an action, those of its response as well. */
  show(facts: FactsNamed<Name>): Shown<Metadata['shape']>;
  /** Returns the mint of the record's asset; null for the native coin, and where there is none. */
  mint(facts: FactsNamed<Name>): string | null;
}

/** A kind whose facts are any. */
export interface AnyTransactionKind extends Omit<TransactionKind, 'show' | 'mint'> {
  show(facts: never): Readonly<Record<string, ExactJson>>;
  mint(facts: never): string | null;
}

/** Defines a kind of record that no request begins. */
export function defineTransactionKind<Metadata extends z.ZodObject, const Name extends FactName>(
  kind: TransactionKind<Metadata, Name>,
): AnyTransactionKind {
  return kind;
}

/** Returns the metadata and mint of a record; no metadata when its facts are of another kind. */
export function showFacts(kind: AnyTransactionKind | undefined, action: Fact | undefined, published: PublishedOutcome) {
  const nothing: Record<string, ExactJson> = {};
  if (!kind || kind.facts !== action?.$case) return { metadata: nothing, mint: null };
  const facts = action.value as never;
  const all: Readonly<Record<string, ExactJson>> = { ...outcomeOf(published), ...kind.show(facts) };
  return { metadata: pick(kind.metadata, all), mint: kind.mint(facts) };
}

/** Returns the values of a record's fields. */
export function pick(record: z.ZodObject, values: Readonly<Record<string, ExactJson>>): Record<string, ExactJson> {
  return Object.fromEntries(Object.keys(record.shape).map((name) => [name, values[name] ?? null]));
}

/** Returns a text; null where there is none. */
export function textOrNull(text: string): string | null {
  return text === '' ? null : text;
}

/** Returns the mint of a token; null for the native coin, which may be named by its wrapped mint. */
export function mintOf(mint: string): string | null {
  return mint === WRAPPED_SOL_MINT ? null : textOrNull(mint);
}

/** Returns a message without any field set. */
export function emptyMessage<Message>(type: { decode(bytes: Uint8Array): Message }): Message {
  return type.decode(new Uint8Array());
}
