import type { Part } from '@agent-wallet/kernel';
import {
  clientTlsEnvironment,
  type Environment,
  type PostgresConnection,
  serverTlsEnvironment,
} from '@agent-wallet/platform';
import { type Infrastructure, type Service, usesOf } from './infrastructure.js';

/** The addresses of the upstreams. */
export interface UpstreamAddresses {
  readonly solanaRpcUrl: string;
  /** Undefined in a deployment that takes prices from the chain. */
  readonly jupiterBaseUrl: string | undefined;
  /** Undefined without predictions. */
  readonly exchange: ExchangeAccount | undefined;
  readonly smtpUrl: string;
  /** Parts that the deployment has. */
  readonly parts: readonly Part[];
  /** The sandbox's admin API, where agents get test money; undefined in the real world. */
  readonly sandboxAdminUrl?: string;
  /** Whether it is the sandbox: nothing there is worth anything. */
  readonly isSandbox: boolean;
}

/** Address of the exchange, and our identity there. */
export interface ExchangeAccount {
  /** With the API's prefix. */
  readonly baseUrl: string;
  readonly apiKeyId: string;
  /** Path of the key that signs our requests (PEM). */
  readonly privateKeyPath: string;
}

/** Base58 addresses of the operator's wallets; none before the signer has made their keys. */
export interface SystemWallets {
  readonly sponsor?: string;
  readonly fees?: string;
  readonly treasury?: string;
}

/** Address of each service that is called: `host:port`. */
export type PeerAddresses = Partial<Record<Exclude<Service, 'gateway'>, string>>;

/**
 * Returns the environment that a service of this deployment reads its settings from, as an operator would write it into
 * a unit or a manifest. Variables of the process itself (limits, log level …) pass through where they are set.
 */
export function environmentOf(
  service: Service,
  deployment: {
    readonly infrastructure: Infrastructure;
    /** Upstreams of every service but the signer. */
    readonly world: UpstreamAddresses | undefined;
    readonly peers: PeerAddresses;
    readonly systemWallets: SystemWallets;
    readonly inherited: Environment;
  },
): Environment {
  const { infrastructure, world, peers, systemWallets, inherited } = deployment;
  const certificate = infrastructure.certificates[service];
  return {
    ...(world?.isSandbox ? inSandbox(world, inherited['PORT'] || DEFAULT_PORT) : {}),
    ...inherited,
    DATABASE_URL: databaseUrl(infrastructure.databases[service]),
    ...serverTlsEnvironment(certificate),
    ...(usesOf(service).includes('client') ? clientTlsEnvironment(certificate) : {}),
    GRPC_ADDRESS: inherited['GRPC_ADDRESS'] ?? '127.0.0.1:0',
    // One address is for one process that is probed alone; here there are several.
    HEALTH_ADDRESS: undefined,
    DATABASE_PASSWORD_PATH: undefined,
    WALLET_ADDRESS: peers.wallet,
    SWAP_ADDRESS: peers.swap,
    PREDICTION_ADDRESS: peers.prediction,
    POLICY_ADDRESS: peers.policy,
    SIGNER_ADDRESS: peers.signer,
    HISTORY_ADDRESS: peers.history,
    ...(service === 'policy' || service === 'wallet' ? walletsOf(systemWallets) : {}),
    ...ownOf(service, infrastructure, world),
  };
}

/** The gateway's own default. */
const DEFAULT_PORT = '8080';

/** Defaults for trying things out; a variable that is set wins. @param port of the gateway */
function inSandbox({ sandboxAdminUrl }: UpstreamAddresses, port: string): Environment {
  return {
    // Policy and gateway must agree on it. Browsers take passkeys on localhost without TLS.
    OWNER_ORIGIN: new URL(`http://localhost:${port}`).origin,
    // Who tries the console out claims an agent and goes on.
    CLAIM_DELAY_HOURS: '0',
    SOLANA_NETWORK: 'sandbox',
    SANDBOX_ADMIN_URL: sandboxAdminUrl,
    // Prices can be set there at any time, and the aggregator counts no requests.
    PRICE_READS_PER_MINUTE: '6000',
    JUPITER_REQUESTS_PER_MINUTE: '60',
    // Each paste of the walk-through logs in.
    RATE_LIMIT_OTP_START_PER_10_MINUTES: '100',
    RATE_LIMIT_OTP_ADDRESSES_PER_HOUR: '10000',
    RATE_LIMIT_OTP_MAILBOX_PER_HOUR: '10000',
  };
}

function ownOf(service: Service, infrastructure: Infrastructure, world: UpstreamAddresses | undefined): Environment {
  if (service === 'signer') return ofSigner(infrastructure);
  if (!world) throw new Error(`${service} needs the addresses of its upstreams`);
  return OWN[service](infrastructure, world);
}

function ofSigner({ secrets, vaultPath }: Infrastructure): Environment {
  return { PERMIT_PUBLIC_KEYS_PATH: secrets.permitPublicKeysPath, SIGNER_VAULT_PATH: vaultPath };
}

const OWN: Record<
  Exclude<Service, 'signer'>,
  (infrastructure: Infrastructure, world: UpstreamAddresses) => Environment
> = {
  gateway: ({ secrets }, { smtpUrl, solanaRpcUrl, parts }) => ({
    PARTS: parts.join(','),
    // Explorer links show the sandbox's own chain, from the browser of this machine.
    SOLANA_RPC_URL: solanaRpcUrl,
    SMTP_URL: smtpUrl,
    MAIL_FROM: 'Agent Wallet <login@agent-wallet.example>',
    JWT_KEYS_PATH: secrets.jwtKeysPath,
    OTP_PEPPER: secrets.otpPepper,
  }),
  wallet: (_, world) => ({ SOLANA_RPC_URL: world.solanaRpcUrl, JUPITER_BASE_URL: world.jupiterBaseUrl }),
  swap: (_, world) => ({ SOLANA_RPC_URL: world.solanaRpcUrl, JUPITER_BASE_URL: world.jupiterBaseUrl }),
  prediction: (_, { exchange }) => ({
    KALSHI_BASE_URL: exchange?.baseUrl,
    KALSHI_API_KEY_ID: exchange?.apiKeyId,
    KALSHI_PRIVATE_KEY_PATH: exchange?.privateKeyPath,
  }),
  policy: ({ secrets }, world) => ({
    SOLANA_RPC_URL: world.solanaRpcUrl,
    JUPITER_BASE_URL: world.jupiterBaseUrl,
    PERMIT_KEYS_PATH: secrets.permitKeysPath,
  }),
  history: () => ({}),
};

/** Returns the variables that name the operator's wallets. */
export function walletsOf({ sponsor, fees, treasury }: SystemWallets): Environment {
  return { SPONSOR_ADDRESS: sponsor, FEE_WALLET_ADDRESS: fees, TREASURY_ADDRESS: treasury };
}

function databaseUrl({ host, port, user, password, database, tls }: PostgresConnection): string {
  const credentials = `${encodeURIComponent(user)}:${encodeURIComponent(password.reveal())}`;
  const mode = tls ? '?sslmode=verify-full' : '';
  return `postgres://${credentials}@${host}:${port}/${encodeURIComponent(database)}${mode}`;
}
