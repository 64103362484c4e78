import { jsonSchema, tool, type ToolSet } from 'ai';
import { walletTools, type WalletToolOptions } from '../tools.js';
import type { AgentWallet } from '../wallet.js';

/** Returns the tools of a wallet for `generateText`, `streamText` and agents of Vercel's AI SDK, by name. */
export function aiSdkTools(wallet: AgentWallet, options?: WalletToolOptions): ToolSet {
  const tools = walletTools(wallet, options).map(({ name, description, parameters, run }) => [
    name,
    tool({ description, inputSchema: jsonSchema({ ...parameters, required: [...parameters.required] }), execute: run }),
  ]);
  return Object.fromEntries(tools) as ToolSet;
}
