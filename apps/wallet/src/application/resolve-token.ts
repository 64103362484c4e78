import {
  type Mint,
  type MintState,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  type TransferFeeConfig,
} from '@agent-wallet/solana';
import { knownToken, NATIVE, symbolOf } from '../domain/token-registry.js';
import type { MintTraits } from '../domain/token-safety.js';
import type { TransferPlan } from '../domain/transfer-plan.js';
import { parseTransferAmount, type TransferRequest, unknownToken } from '../domain/transfer-request.js';
import type { TransferChain } from '../ports/transfer-chain.js';

/** What a request's token is, and what its mint does with transfers. */
export interface ResolvedToken extends MintTraits {
  readonly plan: TransferPlan;
  readonly transferFee: TransferFeeConfig | null;
}

const PLAIN = { extensions: [], accountsBeginFrozen: false, transferFee: null } as const;

/** Finds the token that a request names. @throws AppError UNKNOWN_TOKEN, VALIDATION_ERROR for the amount */
export async function resolveToken(chain: TransferChain, request: TransferRequest): Promise<ResolvedToken> {
  const plan = planOfKnownToken(request);
  if (plan) return { ...PLAIN, plan };
  const { token, amount } = request;
  const mint = await readMint(chain, token);
  if (!mint) throw unknownToken();
  const { decimals, tokenProgram } = mint;
  return {
    ...PLAIN,
    ...mint,
    plan: {
      ...{ mint: token, symbol: symbolOf(token), decimals, tokenProgram },
      amount: parseTransferAmount(amount, decimals).toString(),
      createsRecipientAccount: false,
    },
  };
}

/** What mints of Token-2022 do can change at any time; mints of the classic program do nothing. */
async function readMint(chain: TransferChain, address: string): Promise<Mint | MintState | null> {
  const mint = await chain.mint(address);
  return mint?.tokenProgram === TOKEN_2022_PROGRAM ? chain.mintState(address) : mint;
}

/** What can be told of a request before the chain was asked. */
export function planOfKnownToken({ token, amount }: TransferRequest): TransferPlan | undefined {
  const known = knownToken(token);
  if (!known) return undefined;
  const { mint, symbol, decimals } = known;
  return {
    ...{ mint, symbol, decimals, tokenProgram: mint === NATIVE.mint ? '' : TOKEN_PROGRAM },
    amount: parseTransferAmount(amount, decimals).toString(),
    createsRecipientAccount: false,
  };
}
