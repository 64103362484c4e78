import { AppError } from '@agent-wallet/kernel';
import type { Wallets } from '../ports/wallets.js';

/** The address of an agent's wallet. @throws AppError NOT_FOUND when it has none yet */
export async function walletAddressOf(wallets: Wallets, agentId: string): Promise<string> {
  const address = await wallets.find(agentId);
  if (!address) throw new AppError('NOT_FOUND', { message: 'The agent has no wallet yet.' });
  return address;
}
