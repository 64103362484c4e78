import { SettingsError } from '@agent-wallet/platform';

/** The variables that name the real world, all of them or none. */
const LIVE_UPSTREAMS = ['SOLANA_RPC_URL', 'JUPITER_BASE_URL', 'KALSHI_BASE_URL'] as const;

/** Variables that name the network, and our accounts there. */
const REAL_ACCOUNTS = ['SOLANA_NETWORK', 'KALSHI_API_KEY_ID', 'KALSHI_PRIVATE_KEY_PATH', 'SMTP_URL'] as const;

/** Source of chain, aggregator, exchange and mail. */
export type World =
  | { readonly kind: 'sandbox'; readonly smtpUrl: string | undefined }
  | { readonly kind: 'real'; readonly smtpUrl: string };

/**
 * Chooses the sandbox for chain, aggregator and exchange together, or for none: real money must never meet an imaginary
 * price. Only mail may be mixed. In production the sandbox never starts by itself.
 * @throws SettingsError naming what is missing
 */
export function chooseUpstreams(env: Readonly<Record<string, string | undefined>>): World {
  const missing = LIVE_UPSTREAMS.filter((name) => !env[name]);
  if (missing.length === LIVE_UPSTREAMS.length) {
    if (env['NODE_ENV'] === 'production') {
      throw new SettingsError(
        [...missing, ...REAL_ACCOUNTS].map((name) => `${name} is required with NODE_ENV=production`),
      );
    }
    return { kind: 'sandbox', smtpUrl: env['SMTP_URL'] || undefined };
  }
  if (missing.length > 0) {
    throw new SettingsError(missing.map((name) => `${name} is required: the sandbox and the real world do not mix`));
  }
  const unnamed = REAL_ACCOUNTS.filter((name) => !env[name]);
  if (unnamed.length > 0) throw new SettingsError(unnamed.map((name) => `${name} is required outside the sandbox`));
  return { kind: 'real', smtpUrl: env['SMTP_URL']! };
}
