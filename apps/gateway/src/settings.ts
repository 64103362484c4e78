import { EVENT_STREAM_VARIABLES, type EventStreamSettings, eventStreamSettings } from '@agent-wallet/events';
import { isPart, type Part, PARTS, Secret, type SolanaNetwork } from '@agent-wallet/kernel';
import {
  type Environment,
  readSettings,
  SERVICE_VARIABLES,
  serviceSettings,
  type ServiceSettings,
  setting,
  SettingsError,
} from '@agent-wallet/platform';
import { z } from 'zod';
import { CLIENT_METADATA, clientOf } from './adapters/client-documents/parse-document.js';
import type { ConnectionLimits } from './domain/connection-limits.js';
import { proxyList } from './domain/proxies.js';
import type { RateLimits } from './domain/rate-limits.js';
import type { OAuthClient } from './ports/client-documents.js';

/** The gateway's settings, read once at its start. */
export interface GatewaySettings extends ServiceSettings {
  /** Address to listen on. */
  readonly host: string;
  /** Port to listen on; 0 takes a free one. */
  readonly port: number;
  readonly walletAddress: string;
  /** Parts that the deployment has; all when omitted. */
  readonly parts?: readonly Part[];
  /** Given where there is trading or liquidity. */
  readonly swapAddress?: string | undefined;
  /** Given where there are predictions. */
  readonly predictionAddress?: string | undefined;
  readonly policyAddress: string;
  readonly historyAddress: string;
  /** Base of the addresses in the documents; where it listens when omitted. */
  readonly publicUrl?: string | undefined;
  /** `smtp://` or `smtps://`, with credentials where the server wants them. */
  readonly smtpUrl: Secret<string>;
  /** Sender of the login codes. */
  readonly mailFrom: string;
  readonly jwt: {
    /** Folder of PEM private keys (P-256): the file's name is the key's id; the newest by name signs, all verify. */
    readonly keysPath: string;
    /** Time for which a new key is known before it signs: until then other gateways may not have it. */
    readonly signsAfterMs: number;
    readonly issuer: string;
    readonly audience: string;
  };
  /** Time after the last mailed code within which a session can be refreshed. */
  readonly sessionMaxAgeMs: number;
  /** Key of the hashes that login codes are stored as. */
  readonly otpPepper: Secret<string>;
  /** Addresses or CIDR blocks of proxies whose X-Forwarded-For is believed; none by default. */
  readonly trustedProxies: readonly string[];
  /** Origins of pages that may call the agents' API with a bearer token; none when omitted. */
  readonly apiOrigins?: readonly string[];
  /** Origin of the owners' console, which policy has, too; agents have no owners when omitted. */
  readonly ownerOrigin?: string | undefined;
  /** Whether ownerOrigin serves the page `/approvals/{approvalId}`; without it nothing links there. */
  readonly hasOwnerConsole?: boolean;
  readonly rateLimits: RateLimits;
  readonly connectionLimits: ConnectionLimits;
  /** Network named in the documents; the services that talk to the chain compare it with the chain. */
  readonly network: SolanaNetwork;
  /** The sandbox's admin API as agents reach it, where they get test money. */
  readonly sandboxAdminUrl?: string | undefined;
  /** Link to a transaction; `{signature}` is replaced. */
  readonly explorerUrlTemplate: string;
  /** One sentence for skill.md on where the wallets' keys are kept. */
  readonly keyCustody: string;
  /** Apps that may ask for tokens without a document of their own; none when omitted. */
  readonly registeredClients?: readonly OAuthClient[];
  /**
   * Time for which clients that hold connections still get responses when it stops, before idle connections are cut; 0
   * when omitted.
   */
  readonly drainMs?: number;
  /** Stream that takes its events and delivers those of all services. */
  readonly stream: EventStreamSettings;
  readonly notices: {
    /** Whether owners of agents get notices by mail. */
    readonly isOn: boolean;
    /** The consumer group of Kafka that all gateways are in. */
    readonly consumerGroup: string;
  };
}

/** Custody sentence for the software vault, which a deployment has when nothing else is configured. */
export const DEFAULT_CUSTODY =
  'A separate signer process keeps the keys, sealed by a software vault: encrypted at rest, but no enclave protects ' +
  'them from the operator of this machine.';

const EXPLORER = 'https://explorer.solana.com/tx/{signature}';

/**
 * Returns links to a transaction where the settings name none. Of the node of a private chain only the origin is in them:
 * a path or a query may have a key.
 */
function explorerOf(network: SolanaNetwork, rpcUrl: string): string {
  if (network === 'mainnet-beta') return EXPLORER;
  if (network === 'devnet' || network === 'testnet') return `${EXPLORER}?cluster=${network}`;
  return `${EXPLORER}?cluster=custom&customUrl=${encodeURIComponent(new URL(rpcUrl).origin)}`;
}

/** Reads the settings from the environment. @throws SettingsError naming each variable that is wrong */
export function gatewaySettings(environment?: Environment): GatewaySettings {
  const env = readSettings(SHAPE, environment);
  return {
    host: env.HOST,
    port: env.PORT,
    ...serviceSettings(env),
    walletAddress: env.WALLET_ADDRESS,
    ...partsOf(env),
    policyAddress: env.POLICY_ADDRESS,
    historyAddress: env.HISTORY_ADDRESS,
    publicUrl: env.PUBLIC_URL,
    smtpUrl: env.SMTP_URL,
    mailFrom: env.MAIL_FROM,
    jwt: {
      keysPath: env.JWT_KEYS_PATH,
      signsAfterMs: env.JWT_KEY_ACTIVATION_DELAY_SECONDS * 1_000,
      issuer: env.JWT_ISSUER,
      audience: env.JWT_AUDIENCE,
    },
    sessionMaxAgeMs: env.SESSION_MAX_AGE_HOURS * HOUR_MS,
    otpPepper: env.OTP_PEPPER,
    trustedProxies: env.TRUSTED_PROXIES,
    apiOrigins: env.API_ORIGINS,
    ownerOrigin: env.OWNER_ORIGIN,
    hasOwnerConsole: env.OWNER_CONSOLE,
    rateLimits: {
      clientPerMinute: env.RATE_LIMIT_IP_PER_MINUTE,
      agentPerMinute: env.RATE_LIMIT_AGENT_PER_MINUTE,
      otpsPerTenMinutes: env.RATE_LIMIT_OTP_START_PER_10_MINUTES,
      otpAddressesPerHour: env.RATE_LIMIT_OTP_ADDRESSES_PER_HOUR,
      otpsPerMailboxHour: env.RATE_LIMIT_OTP_MAILBOX_PER_HOUR,
      otpMailsPerMinute: env.RATE_LIMIT_OTP_MAILS_PER_MINUTE,
      triesPerOtp: env.RATE_LIMIT_OTP_COMPLETE_PER_10_MINUTES,
      wrongOtpsPerHour: env.RATE_LIMIT_OTP_WRONG_PER_HOUR,
      wrongOtpsPerMailboxDay: env.RATE_LIMIT_OTP_WRONG_PER_MAILBOX_DAY,
      ownerPerMinute: env.RATE_LIMIT_OWNER_PER_MINUTE,
      passkeysPerTenMinutes: env.RATE_LIMIT_PASSKEY_PER_10_MINUTES,
    },
    connectionLimits: { total: env.MAX_CONNECTIONS, perNetwork: env.MAX_CONNECTIONS_PER_NETWORK },
    network: env.SOLANA_NETWORK,
    sandboxAdminUrl: env.SANDBOX_ADMIN_URL,
    explorerUrlTemplate: env.EXPLORER_URL_TEMPLATE ?? explorerOf(env.SOLANA_NETWORK, env.SOLANA_RPC_URL),
    keyCustody: env.KEY_CUSTODY,
    registeredClients: env.OAUTH_CLIENTS ?? [],
    drainMs: env.DRAIN_SECONDS * 1_000,
    stream: eventStreamSettings(env),
    notices: { isOn: env.NOTICES, consumerGroup: env.KAFKA_NOTICES_GROUP },
  };
}

/** Returns the parts and what serves them. @throws SettingsError for a part whose service is not named */
function partsOf(env: {
  readonly PARTS: readonly Part[];
  readonly SWAP_ADDRESS?: string | undefined;
  readonly PREDICTION_ADDRESS?: string | undefined;
}) {
  const needing = (name: string, address: string | undefined, parts: readonly Part[]) => {
    const part = parts.find((each) => env.PARTS.includes(each));
    return address === undefined && part ? [`${name} is required with ${part}: set it, or PARTS without ${part}`] : [];
  };
  const problems = [
    ...needing('SWAP_ADDRESS', env.SWAP_ADDRESS, ['trading', 'liquidity']),
    ...needing('PREDICTION_ADDRESS', env.PREDICTION_ADDRESS, ['predictions']),
  ];
  if (problems.length > 0) throw new SettingsError(problems);
  return { parts: env.PARTS, swapAddress: env.SWAP_ADDRESS, predictionAddress: env.PREDICTION_ADDRESS };
}

const HOUR_MS = 3_600_000;

const CLIENTS_FORM =
  'must be a JSON list of clients such as [{"client_id":"an-app","client_name":"An app","redirect_uris":["http://127.0.0.1/callback"]}]';

const clientList = z.array(CLIENT_METADATA);

/** Reads a list of clients; undefined for text that is none. */
function readClients(text: string): readonly OAuthClient[] | undefined {
  try {
    return clientList.parse(JSON.parse(text)).map((client) => clientOf(client, true));
  } catch {
    return undefined;
  }
}

const positive = () => setting.integer({ min: 1, max: 1_000_000 });

const SHAPE = {
  HOST: setting.text().default('127.0.0.1'),
  PORT: setting.integer({ min: 0, max: 65_535 }).default(8080),
  ...SERVICE_VARIABLES,
  WALLET_ADDRESS: setting.address(),
  PARTS: setting
    .text()
    .default(PARTS.join(','))
    .transform((text) => [...new Set(['transfers', ...text.split(',').map((part) => part.trim())])])
    .refine((parts) => parts.every(isPart), `must be parts, separated by commas, out of ${PARTS.join(', ')}`)
    .transform((parts) => parts.filter(isPart)),
  SWAP_ADDRESS: setting.address().optional(),
  PREDICTION_ADDRESS: setting.address().optional(),
  POLICY_ADDRESS: setting.address(),
  HISTORY_ADDRESS: setting.address(),
  PUBLIC_URL: setting.url('http', 'https').optional(),
  SMTP_URL: setting.url('smtp', 'smtps').transform((text) => new Secret(text)),
  MAIL_FROM: setting.text(),
  DRAIN_SECONDS: setting.integer({ min: 0, max: 60 }).default(0),
  JWT_KEYS_PATH: setting.path(),
  JWT_KEY_ACTIVATION_DELAY_SECONDS: setting.integer({ min: 0, max: 3_600 }).default(120),
  JWT_ISSUER: setting.text().default('agent-wallet'),
  JWT_AUDIENCE: setting.text().default('agent-wallet-api'),
  // Not below the sessionExpirationHours of a new policy, whose sessions could never be refreshed.
  SESSION_MAX_AGE_HOURS: setting.integer({ min: 168, max: 8_760 }).default(2_160),
  OTP_PEPPER: setting
    .text()
    .refine((text) => text.length >= 16, 'must have at least 16 characters')
    .transform((text) => new Secret(text)),
  API_ORIGINS: setting
    .text()
    .default('')
    .transform((text) => text.split(',').flatMap((part) => part.trim() || []))
    .refine(
      (origins) => origins.every(isOrigin),
      'must be origins without a path, separated by commas, and no wildcard',
    ),
  TRUSTED_PROXIES: setting
    .text()
    .default('')
    .transform((text) => text.split(',').flatMap((part) => part.trim() || []))
    .refine(isListOfProxies, 'must be IP addresses or CIDR blocks, separated by commas, and not all addresses'),
  RATE_LIMIT_IP_PER_MINUTE: positive().default(100),
  RATE_LIMIT_AGENT_PER_MINUTE: positive().default(30),
  RATE_LIMIT_OTP_START_PER_10_MINUTES: positive().default(3),
  RATE_LIMIT_OTP_ADDRESSES_PER_HOUR: positive().default(20),
  RATE_LIMIT_OTP_MAILBOX_PER_HOUR: positive().default(12),
  RATE_LIMIT_OTP_MAILS_PER_MINUTE: positive().default(300),
  RATE_LIMIT_OTP_COMPLETE_PER_10_MINUTES: positive().default(5),
  RATE_LIMIT_OTP_WRONG_PER_HOUR: positive().default(30),
  RATE_LIMIT_OTP_WRONG_PER_MAILBOX_DAY: positive().default(100),
  RATE_LIMIT_OWNER_PER_MINUTE: positive().default(300),
  RATE_LIMIT_PASSKEY_PER_10_MINUTES: positive().default(30),
  MAX_CONNECTIONS: positive().default(10_000),
  MAX_CONNECTIONS_PER_NETWORK: positive().default(200),
  OWNER_ORIGIN: setting.origin().optional(),
  OWNER_CONSOLE: setting.flag().default(false),
  SOLANA_NETWORK: setting.network(),
  // For explorer links on a private chain alone; the default is the sandbox's own, and a local validator's.
  SOLANA_RPC_URL: setting.url('http', 'https').default('http://127.0.0.1:8899'),
  SANDBOX_ADMIN_URL: setting.url('http', 'https').optional(),
  EXPLORER_URL_TEMPLATE: setting
    .url('http', 'https')
    .refine((text) => text.includes('{signature}'), 'must contain {signature}')
    .optional(),
  KEY_CUSTODY: setting.text().default(DEFAULT_CUSTODY),
  OAUTH_CLIENTS: setting
    .text()
    .transform(readClients)
    .refine((clients) => clients !== undefined, CLIENTS_FORM)
    .optional(),
  NOTICES: setting.flag().default(true),
  // Not KAFKA_CONSUMER_GROUP: history's events would be shared out between both.
  KAFKA_NOTICES_GROUP: setting.text().default('notices'),
  ...EVENT_STREAM_VARIABLES,
} as const;

const isOrigin = (text: string) =>
  /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text && !text.includes('*');

function isListOfProxies(texts: readonly string[]): boolean {
  try {
    proxyList(texts);
    return true;
  } catch {
    return false;
  }
}
