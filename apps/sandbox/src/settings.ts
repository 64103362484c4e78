import { AmountError, parseUsd } from '@agent-wallet/kernel';
import path from 'node:path';
import { z } from 'zod';
import { type TierName, TIERS } from './exchange/access/tiers.js';
import type { ExchangeKey, ExchangeSettings } from './exchange/open-exchange.js';

const port = z.coerce.number().int().min(0).max(65_535);

/** Dollars as text, exactly. */
const dollars = z.string().transform((text, context) => {
  try {
    return parseUsd(text);
  } catch (error) {
    if (!(error instanceof AmountError)) throw error;
    context.addIssue(error.message);
    return z.NEVER;
  }
});

const EnvSchema = z.object({
  DATA_DIR: z.string().min(1).default('.data'),
  SANDBOX_DATA_DIR: z.string().min(1).optional(),
  SANDBOX_HOST: z.string().min(1).default('127.0.0.1'),
  SANDBOX_RPC_PORT: port.default(8_899),
  SANDBOX_WS_PORT: port.optional(),
  SANDBOX_AGGREGATOR_PORT: port.default(8_902),
  SANDBOX_EXCHANGE_PORT: port.default(8_903),
  SANDBOX_EXCHANGE_KEY_ID: z.string().min(1).optional(),
  SANDBOX_EXCHANGE_PUBLIC_KEY_PATH: z.string().min(1).optional(),
  SANDBOX_EXCHANGE_TIER: z.enum(Object.keys(TIERS) as [TierName, ...TierName[]]).default('basic'),
  SANDBOX_EXCHANGE_BALANCE_USD: dollars.prefault('100000'),
  SANDBOX_SMTP_PORT: port.default(8_904),
  SANDBOX_ADMIN_PORT: port.default(8_905),
  SANDBOX_SLOT_MS: z.coerce.number().int().min(0).max(60_000).default(400),
  SANDBOX_FINALIZE_SLOTS: z.coerce.number().int().min(0).max(1_000).default(31),
});

/** How a sandbox is to run. Port 0 lets the system pick. */
export interface SandboxSettings extends ExchangeSettings {
  readonly host: string;
  readonly dataDir: string;
  readonly rpcPort: number;
  readonly wsPort: number;
  readonly aggregatorPort: number;
  readonly exchangePort: number;
  readonly smtpPort: number;
  readonly adminPort: number;
  /** Milliseconds a slot; 0: a transaction is confirmed and final at once. */
  readonly slotMs: number;
  /** Slots until a slot is final. */
  readonly finalizeSlots: number;
}

/** A variable is wrong. */
export class UnusableSettings extends Error {
  /** @param problems one a variable: `SANDBOX_RPC_PORT: …` */
  constructor(readonly problems: readonly string[]) {
    super(problems.join('; '));
    this.name = 'UnusableSettings';
  }
}

/** Reads the settings. @throws UnusableSettings naming each variable that is wrong */
export function sandboxSettings(env: Readonly<Record<string, string | undefined>>): SandboxSettings {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''));
  const parsed = EnvSchema.safeParse(given);
  if (!parsed.success) {
    throw new UnusableSettings(parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`));
  }
  const read = parsed.data;
  return {
    host: read.SANDBOX_HOST,
    dataDir: path.resolve(read.SANDBOX_DATA_DIR ?? path.join(read.DATA_DIR, 'sandbox')),
    rpcPort: read.SANDBOX_RPC_PORT,
    wsPort: read.SANDBOX_WS_PORT ?? (read.SANDBOX_RPC_PORT === 0 ? 0 : read.SANDBOX_RPC_PORT + 1),
    aggregatorPort: read.SANDBOX_AGGREGATOR_PORT,
    exchangePort: read.SANDBOX_EXCHANGE_PORT,
    exchangeKey: exchangeKey(read),
    exchangeTier: read.SANDBOX_EXCHANGE_TIER,
    exchangeCashMicros: read.SANDBOX_EXCHANGE_BALANCE_USD,
    smtpPort: read.SANDBOX_SMTP_PORT,
    adminPort: read.SANDBOX_ADMIN_PORT,
    slotMs: read.SANDBOX_SLOT_MS,
    finalizeSlots: read.SANDBOX_FINALIZE_SLOTS,
  };
}

/** Both halves of a key, or none. */
function exchangeKey(read: z.infer<typeof EnvSchema>): ExchangeKey | undefined {
  const { SANDBOX_EXCHANGE_KEY_ID: id, SANDBOX_EXCHANGE_PUBLIC_KEY_PATH: publicKeyPath } = read;
  if (id !== undefined && publicKeyPath !== undefined) return { id, publicKeyPath };
  const missing = id === undefined ? 'SANDBOX_EXCHANGE_KEY_ID' : 'SANDBOX_EXCHANGE_PUBLIC_KEY_PATH';
  if (id !== undefined || publicKeyPath !== undefined)
    throw new UnusableSettings([`${missing}: is required with the other half of the key`]);
  return undefined;
}
