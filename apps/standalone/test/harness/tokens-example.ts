import type { AgentWallet } from '@agent-wallet/sdk';

export async function openForBot(wallet: AgentWallet): Promise<string> {
  const { sessionToken } = await wallet.tokens.open({
    name: 'Trading bot',
    scopes: ['read', 'trade'],
    maxSingleInUsd: 20,
    dailyLimitInUsd: 50,
    expiresInHours: 168,
  });
  return sessionToken;
}
