import { type AgentWallet, isApiError, logIn } from '@agent-wallet/sdk';
import { FileStore } from '@agent-wallet/sdk/node';

const options = { baseUrl: 'http://localhost:8080', store: new FileStore('.agent-wallet') };

export async function logInByMail(email: string, readCode: () => Promise<string>): Promise<AgentWallet> {
  const { wallet } = await logIn(options, email, readCode);
  return wallet;
}

export async function pay(wallet: AgentWallet, to: string): Promise<string> {
  try {
    const { explorerUrl } = await wallet.transfer({ to, amount: '1.5', mint: 'USDC' });
    return explorerUrl;
  } catch (error) {
    if (!isApiError(error, 'POLICY_VIOLATION')) throw error;
    return `${error.data.rule}: at most ${error.data.maxAmountNow} USDC now`;
  }
}
