import { type Tool, tool } from '@openai/agents';
import { walletTools, type WalletToolOptions } from '../tools.js';
import type { AgentWallet } from '../wallet.js';

/** Settings of tools for OpenAI's Agents SDK. */
export interface AgentsToolOptions extends WalletToolOptions {
  /** Whether a run stops for a person before each call that moves money. */
  readonly needsApproval?: boolean;
}

/** Lists the tools of a wallet for agents of OpenAI's Agents SDK. */
export function openAiAgentsTools(wallet: AgentWallet, options: AgentsToolOptions = {}): readonly Tool[] {
  const { needsApproval = false } = options;
  return walletTools(wallet, options).map(({ name, description, parameters, movesMoney, run }) =>
    tool({
      ...{ name, description, execute: run },
      strict: false,
      // Not strict, because fields may be left out; the wallet refuses others by itself.
      parameters: { ...parameters, required: [...parameters.required], additionalProperties: true },
      needsApproval: needsApproval && movesMoney,
    }),
  );
}
