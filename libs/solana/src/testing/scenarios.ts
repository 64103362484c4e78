import { TOKEN_2022_PROGRAM_ID, TOKEN_PROGRAM_ID } from '@solana/spl-token';
import type { intentV1 } from '@agent-wallet/contracts';
import { SOL_DECIMALS } from '@agent-wallet/kernel';
import { MINT, RECIPIENT } from './actors.js';

/** An honest transfer from which forgeries are made. */
export interface Scenario {
  readonly name: string;
  readonly intent: intentV1.Intent;
  readonly computeUnitPriceMicroLamports: bigint;
}

const NATIVE: intentV1.Transfer = {
  recipient: RECIPIENT.toBase58(),
  mint: '',
  tokenProgram: '',
  amount: 1_500_000_000n,
  decimals: SOL_DECIMALS,
  createsRecipientAccount: false,
  memo: '',
};

const TOKEN: intentV1.Transfer = {
  ...NATIVE,
  mint: MINT.toBase58(),
  tokenProgram: TOKEN_PROGRAM_ID.toBase58(),
  amount: 64_100_000n,
  decimals: 6,
};

const TOKEN_2022: intentV1.Transfer = { ...TOKEN, tokenProgram: TOKEN_2022_PROGRAM_ID.toBase58() };

/** One transfer of every kind that can be built. */
export function scenarios(wallet: string): Scenario[] {
  const scenario = (name: string, value: intentV1.Transfer, computeUnitPriceMicroLamports = 0n): Scenario => ({
    name,
    intent: { wallet, action: { $case: 'transfer', value } },
    computeUnitPriceMicroLamports,
  });
  return [
    scenario('native coin', NATIVE),
    scenario('native coin, memo and price', { ...NATIVE, memo: 'Invoice 7 – café' }, 1_000n),
    scenario('token', TOKEN),
    scenario('token, new account, memo and price', { ...TOKEN, createsRecipientAccount: true, memo: 'rent' }, 50n),
    scenario('token-2022', TOKEN_2022),
    scenario('token-2022, new account', { ...TOKEN_2022, createsRecipientAccount: true }),
    scenario('largest amount', { ...TOKEN, amount: 2n ** 64n - 1n }),
  ];
}
