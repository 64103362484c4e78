import type { Transaction } from '../api/records.js';
import { showAmount, showExactUsd, showUnits } from '../parts/show.js';
import { labelled } from '../parts/words-of.js';
import { policyValueWords } from '../policy/policy-words.js';
import { POLICY_FIELD_LIST } from '@agent-wallet/kernel/policy-fields';
import { TEXTS } from '../texts.js';
import { metadataOf, textOf } from './transaction-words.js';

const WORDS = TEXTS.activity;
const LAMPORT_DECIMALS = 9;
const BPS_DECIMALS = 2;

type Show = (value: unknown, transaction: Transaction) => string;

const dollars: Show = (value) => showExactUsd(String(value));
const percent: Show = (value) => `${Number(value)} %`;
const sol: Show = (value) => `${showUnits(String(value), LAMPORT_DECIMALS)} SOL`;
const inAsset: Show = (value, { asset }) => [showAmount(Number(value)), asset].filter(Boolean).join(' ');

/** Fields of metadata that the page shows in words, in their order. The whole record is shown as it is, too. */
const FIELDS: Readonly<Record<string, Show>> = {
  errorMessage: (value) => labelled(textOf(value)),
  changes: (value) => listOf(value).map(changeOf).join('; '),
  amountSent: inAsset,
  fee: inAsset,
  rentLamports: sol,
  networkFeeLamports: sol,
  slippageBps: (value) => `${showUnits(String(value), BPS_DECIMALS)} %`,
  priceImpact: percent,
  route: (value) => listOf(value).map(textOf).join(', '),
  warnings: (value) => listOf(value).map(messageOf).join(' '),
  requestedCount: String,
  pricePerContractDollars: dollars,
  feeDollars: dollars,
  totalCostDollars: dollars,
  refundedDollars: dollars,
};

/** Returns the known facts of a transaction, each with its name. What is null, zero or empty is left out. */
export function transactionFields(transaction: Transaction): Array<readonly [name: string, value: string]> {
  const metadata = metadataOf(transaction);
  return Object.entries(FIELDS).flatMap(([field, show]) => {
    const value = metadata[field];
    if (value === undefined || value === null || value === '' || Number(value) === 0) return [];
    const shown = show(value, transaction);
    return shown === '' ? [] : [[WORDS.fields[field] ?? field, shown] as const];
  });
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function messageOf(warning: unknown): string {
  return textOf((Object(warning) as { message?: unknown }).message);
}

function changeOf(change: unknown): string {
  const { field, before, after } = Object(change) as Readonly<Record<string, unknown>>;
  const known = POLICY_FIELD_LIST.find(({ name }) => name === field);
  if (!known) return textOf(field);
  const { label } = TEXTS.limits.fields[known.name];
  return TEXTS.approvals.change(label, policyValueWords(known.name, before), policyValueWords(known.name, after));
}
