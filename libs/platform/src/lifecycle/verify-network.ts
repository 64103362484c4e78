import type { SolanaNetwork } from '@agent-wallet/kernel';
import type { Logger } from '../log/logger.js';
import { SettingsError } from '../settings/read-settings.js';

/**
 * Compares the network that the settings name with the one that the chain belongs to. A chain that does not answer does
 * not stop the start: the service must come back during an outage of its node.
 * @param read asks the chain, or a service that has asked it
 * @param source what `read` asks, for the error
 * @throws SettingsError when it is another network
 */
export async function verifyNetwork({
  expected,
  read,
  source = 'the chain at SOLANA_RPC_URL',
  logger,
}: {
  readonly expected: SolanaNetwork;
  readonly read: () => Promise<string>;
  readonly source?: string;
  readonly logger: Logger;
}): Promise<void> {
  let found: string;
  try {
    found = await read();
  } catch (err) {
    logger.warn({ event: 'network.unverified', network: expected, err }, 'Network not verified');
    return;
  }
  if (found === expected) return;
  throw new SettingsError([`SOLANA_NETWORK: is ${expected}, but ${source} is ${found}. Correct one of the two.`]);
}
