import { type Logger, setting, SettingsError, type SettingsOf } from '@agent-wallet/platform';
import { type Vault, VaultError } from '../../../ports/vault.js';
import { DstackVault } from './dstack-vault.js';
import { connectGuestAgent } from './guest-agent.js';

const DEFAULT_SOCKET_PATH = '/var/run/dstack.sock';
const TIMEOUT_MS = 10_000;

/** Settings of the dstack vault. */
export const DSTACK_VARIABLES = {
  /** The guest agent's socket. */
  SIGNER_DSTACK_SOCKET_PATH: setting.path().default(DEFAULT_SOCKET_PATH),
  /** A simulator's URL instead. */
  SIGNER_DSTACK_ENDPOINT: setting.url('http', 'https').optional(),
  /** Simulator address of dstack's own tools; refused in production, and not used here. */
  DSTACK_SIMULATOR_ENDPOINT: setting.text().optional(),
} as const;

/** The dstack vault, as the settings have it. */
export interface DstackChoice {
  readonly driver: 'dstack';
  /** A socket's path, or a simulator's URL. */
  readonly endpoint: string;
  readonly production: boolean;
  readonly timeoutMs: number;
}

/** @throws SettingsError for a simulator in production */
export function dstackChoice(
  env: SettingsOf<typeof DSTACK_VARIABLES>,
  { production }: { readonly production: boolean },
): DstackChoice {
  for (const name of ['SIGNER_DSTACK_ENDPOINT', 'DSTACK_SIMULATOR_ENDPOINT'] as const) {
    if (!production || env[name] === undefined) continue;
    throw new SettingsError([
      `${name}: a dstack simulator is refused with NODE_ENV=production, because its keys are known; remove the variable ` +
        "and mount the guest agent's socket (SIGNER_DSTACK_SOCKET_PATH)",
    ]);
  }
  const endpoint = env.SIGNER_DSTACK_ENDPOINT ?? env.SIGNER_DSTACK_SOCKET_PATH;
  if (env.SIGNER_DSTACK_ENDPOINT === undefined && !endpoint.startsWith('/')) {
    throw new SettingsError(['SIGNER_DSTACK_SOCKET_PATH: must be an absolute path']);
  }
  return { driver: 'dstack', endpoint, production, timeoutMs: TIMEOUT_MS };
}

/** Opens the vault, and says in the log what it is. @throws VaultError, in production also for a debug VM */
export async function openDstackVault(
  { endpoint, production, timeoutMs }: DstackChoice,
  logger: Logger,
): Promise<Vault> {
  const agent = await connectGuestAgent(endpoint, timeoutMs);
  const vault = new DstackVault(agent, await agent.appId());
  if (production) {
    const { quote } = await agent.quote(Buffer.alloc(64));
    if (quote.isDebug) {
      throw new VaultError(
        'this confidential VM runs in debug mode, in which its memory can be read; start it without, or not in production',
      );
    }
  }
  logger.info({ event: 'vault.opened', vault: vault.describe() }, 'Vault of dstack opened');
  return vault;
}
