import type { SolanaNetwork } from '@agent-wallet/kernel';
import type { Logger } from '../log/logger.js';
import { SettingsError } from '../settings/read-settings.js';

/**
 * Compares the network that the settings name with the one that the chain belongs to. A chain that does not answer does
 * not stop the start: the service must come back during an outage of its node.
 * @param read asks the chain
 * @throws SettingsError when it is another network
 */
export async function verifyNetwork({
  expected,
  read,
  logger,
}: {
  readonly expected: SolanaNetwork;
  readonly read: () => Promise<SolanaNetwork>;
  readonly logger: Logger;
}): Promise<void> {
  let found: SolanaNetwork;
  try {
    found = await read();
  } catch (err) {
    logger.warn({ event: 'network.unverified', network: expected, err }, 'Network of the chain not verified');
    return;
  }
  if (found === expected) return;
  throw new SettingsError([
    `SOLANA_NETWORK: is ${expected}, but the chain at SOLANA_RPC_URL is ${found}. Correct one of the two.`,
  ]);
}
