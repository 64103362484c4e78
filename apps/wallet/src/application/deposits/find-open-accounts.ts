import { associatedTokenAddress, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '@agent-wallet/solana';
import type { TokenAccount } from '../../domain/deposits/deposit.js';
import type { OwnWallets, TransactionEffects } from '../../domain/deposits/find-credits.js';

/**
 * Returns agents' associated token accounts that exist after a transaction, empty ones too. A stranger may open one for
 * an agent and pay into it later, in a transaction that does not name the wallet. Other accounts do not count: the
 * creator of one may keep the right to close it, and could have any number watched for the price of one.
 */
export function findOpenAccounts(tx: TransactionEffects, agents: OwnWallets['agents']): TokenAccount[] {
  if (tx.error !== null) return [];
  return tx.postTokenBalances.flatMap(({ account, owner, mint }) => {
    const agentId = owner === null ? undefined : agents.get(owner);
    if (agentId === undefined || owner === null || !isAssociated(account, owner, mint)) return [];
    return [{ agentId, wallet: owner, address: account }];
  });
}

function isAssociated(account: string, owner: string, mint: string): boolean {
  return ([TOKEN_PROGRAM, TOKEN_2022_PROGRAM] as const).some(
    (tokenProgram) => associatedTokenAddress({ owner, mint, tokenProgram }) === account,
  );
}
