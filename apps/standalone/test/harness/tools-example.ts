import type { AgentWallet } from '@agent-wallet/sdk';
import { aiSdkTools } from '@agent-wallet/sdk/ai-sdk';
import { generateText, type LanguageModel, stepCountIs } from 'ai';

export async function answer(model: LanguageModel, wallet: AgentWallet, prompt: string): Promise<string> {
  const tools = aiSdkTools(wallet, { only: ['get_balances', 'get_policy_usage', 'transfer'] });
  const { text } = await generateText({ model, tools, stopWhen: stepCountIs(8), prompt });
  return text;
}
