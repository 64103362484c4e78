import { type Part, PARTS } from '@agent-wallet/kernel';
import { type Environment, SettingsError } from '@agent-wallet/platform';

/** The variables that name the real world: one of them is enough to leave the sandbox. */
const LIVE_UPSTREAMS = ['SOLANA_RPC_URL', 'JUPITER_BASE_URL', 'KALSHI_BASE_URL'] as const;

/** The variables that every deployment needs outside the sandbox. */
const NEEDED = ['SOLANA_RPC_URL', 'SOLANA_NETWORK', 'SMTP_URL'] as const;

/** Further variables that a part needs. */
const NEEDED_BY: Readonly<Record<Part, readonly string[]>> = {
  transfers: [],
  trading: ['JUPITER_BASE_URL'],
  liquidity: ['JUPITER_BASE_URL'],
  predictions: ['KALSHI_BASE_URL', 'KALSHI_API_KEY_ID', 'KALSHI_PRIVATE_KEY_PATH'],
};

/** Source of chain, aggregator, exchange and mail, and the parts that they serve. */
export type World = { readonly parts: readonly Part[] } & (
  | { readonly kind: 'sandbox'; readonly smtpUrl: string | undefined }
  | { readonly kind: 'real'; readonly smtpUrl: string }
);

/**
 * Chooses the sandbox for chain, aggregator and exchange together, or for none: real money must never meet an imaginary
 * price. Only mail may be mixed. In production the sandbox never starts by itself. Outside it, a part is there when its
 * upstreams are named, unless `PARTS` says which are.
 * @throws SettingsError naming what is missing
 */
export function chooseUpstreams(env: Environment): World {
  const asked = askedParts(env);
  if (LIVE_UPSTREAMS.every((name) => !env[name])) {
    if (env['NODE_ENV'] === 'production')
      throw new SettingsError(NEEDED.map((name) => `${name} is required with NODE_ENV=production`));
    return { kind: 'sandbox', smtpUrl: env['SMTP_URL'] || undefined, parts: asked ?? PARTS };
  }
  const missing = NEEDED.filter((name) => !env[name]);
  if (missing.length > 0) throw new SettingsError(missing.map((name) => `${name} is required outside the sandbox`));
  const parts = asked ?? PARTS.filter((part) => isBegun(part, env));
  const lacking = parts.flatMap((part) =>
    NEEDED_BY[part].filter((name) => !env[name]).map((name) => `${name} is required with ${part}`),
  );
  if (lacking.length > 0) throw new SettingsError([...new Set(lacking)]);
  return { kind: 'real', smtpUrl: env['SMTP_URL']!, parts };
}

/** Reports whether the upstream that a part has for itself is named. */
function isBegun(part: Part, env: Environment): boolean {
  return part === 'predictions' ? Boolean(env['KALSHI_BASE_URL']) : NEEDED_BY[part].every((name) => env[name]);
}

/** Returns the parts that `PARTS` names; the gateway says what is wrong with a list that names others. */
function askedParts({ PARTS: text }: Environment): readonly Part[] | undefined {
  if (!text) return undefined;
  const asked = text.split(',').map((part) => part.trim());
  return PARTS.filter((part) => part === 'transfers' || asked.includes(part));
}
