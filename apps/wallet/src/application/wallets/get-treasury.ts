import { AppError } from '@agent-wallet/kernel';
import {
  associatedTokenAddress,
  type ChainAccount,
  readTokenAccount,
  type SolanaChain,
  TOKEN_PROGRAM,
} from '@agent-wallet/solana';
import { USDC } from '../../domain/move.js';
import type { Operator } from '../../domain/operator.js';

/** The treasury's holdings. */
interface Treasury {
  readonly address: string;
  /** Base units of USDC in finalized blocks. */
  readonly finalizedAmount: bigint;
  /** Base units of USDC in confirmed blocks. */
  readonly confirmedAmount: bigint;
  /** In confirmed blocks. */
  readonly lamports: bigint;
  readonly finalizedSlot: number;
}

/** Reads the operator's treasury: what its own associated account of USDC holds, and what pays for payouts. */
export class GetTreasury {
  constructor(
    private readonly operator: Pick<Operator, 'treasury'>,
    private readonly chain: Pick<SolanaChain, 'accounts' | 'finalizedAccounts'>,
  ) {}

  /** @throws AppError SERVICE_UNAVAILABLE when there is none; of the chain */
  async execute(): Promise<Treasury> {
    const { treasury: address } = this.operator;
    if (address === undefined) {
      throw new AppError('SERVICE_UNAVAILABLE', { cause: new Error('the treasury is not configured') });
    }
    const account = associatedTokenAddress({ owner: address, mint: USDC.mint, tokenProgram: TOKEN_PROGRAM });
    const [finalized, confirmed] = await Promise.all([
      this.chain.finalizedAccounts([account]),
      this.chain.accounts([account, address]),
    ]);
    const unitsOf = (read: ChainAccount | null | undefined) => {
      const tokens = readTokenAccount(read);
      return tokens?.owner === address ? tokens.amount : 0n;
    };
    return {
      address,
      finalizedAmount: unitsOf(finalized.accounts[0]),
      confirmedAmount: unitsOf(confirmed.accounts[0]),
      lamports: confirmed.accounts[1]?.lamports ?? 0n,
      finalizedSlot: finalized.slot,
    };
  }
}
