import type { Logger } from '@agent-wallet/platform';
import { associatedTokenAddress, TOKEN_PROGRAM } from '@agent-wallet/solana';
import type { Operator } from '../../domain/operator.js';
import { NATIVE, type TokenRegistry } from '../../domain/token-registry.js';
import type { TransferChain } from '../../ports/transfer-chain.js';
import { canReceive } from './transfer-parties.js';

/** Dependencies of the report. */
interface FeeAccountDependencies {
  readonly operator: Pick<Operator, 'feeWallet' | 'fees'>;
  readonly registry: TokenRegistry;
  readonly chain: Pick<TransferChain, 'accounts' | 'rentExemptMinimumLamports'>;
  readonly logger: Logger;
}

/**
 * Reports to the operator which known tokens are sent without the configured fee, because the fee wallet cannot receive
 * them. Opens no account: its rent would come from an agent, or need a signature that the signer never gives.
 * @throws AppError of the chain
 */
export async function reportFeeAccounts({ operator, registry, chain, logger }: FeeAccountDependencies): Promise<void> {
  const { feeWallet, fees } = operator;
  if (fees.basisPoints === 0 && fees.flatUsdMicros === 0n) return;
  if (feeWallet === undefined) {
    logger.warn({ event: 'fee_wallet.missing' }, 'Transfer fee set without a fee wallet; no fee is taken');
    return;
  }
  const places = [
    { symbol: NATIVE.symbol, mint: NATIVE.mint, account: feeWallet },
    ...registry.named.map(({ mint }) => ({
      symbol: registry.symbolOf(mint),
      mint,
      account: associatedTokenAddress({ owner: feeWallet, mint, tokenProgram: TOKEN_PROGRAM }),
    })),
  ];
  const [{ accounts }, minimumLamports] = await Promise.all([
    chain.accounts(places.map(({ account }) => account)),
    chain.rentExemptMinimumLamports(0),
  ]);
  const missing = places.filter(({ mint }, at) => {
    const account = accounts[at] ?? null;
    return mint === NATIVE.mint ? (account?.lamports ?? 0n) < minimumLamports : !canReceive(account, feeWallet);
  });
  if (missing.length === 0) return;
  logger.warn(
    { event: 'fee_accounts.missing', feeWallet, missing },
    'Fee waived: the fee wallet has no account for these tokens',
  );
}
