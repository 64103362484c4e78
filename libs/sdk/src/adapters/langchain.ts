import { DynamicStructuredTool } from '@langchain/core/tools';
import { walletTools, type WalletToolOptions } from '../tools.js';
import type { AgentWallet } from '../wallet.js';

/** Lists the tools of a wallet for models and agents of LangChain. */
export function langChainTools(wallet: AgentWallet, options?: WalletToolOptions): readonly DynamicStructuredTool[] {
  return walletTools(wallet, options).map(
    ({ name, description, parameters, run }) =>
      new DynamicStructuredTool({ name, description, schema: parameters, func: run }),
  );
}
