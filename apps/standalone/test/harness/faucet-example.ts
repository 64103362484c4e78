import { type AgentWallet, FaucetError } from '@agent-wallet/sdk';

export async function fund(wallet: AgentWallet): Promise<boolean> {
  try {
    await wallet.faucet({ token: 'SOL', amount: '1' });
    await wallet.faucet({ token: 'USDC', amount: '250' });
    return true;
  } catch (error) {
    if (error instanceof FaucetError) return false;
    throw error;
  }
}
