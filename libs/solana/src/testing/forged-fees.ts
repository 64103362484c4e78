import { createTransferCheckedInstruction } from '@solana/spl-token';
import { PublicKey, SystemProgram, type TransactionInstruction } from '@solana/web3.js';
import type { intentV1 } from '@agent-wallet/contracts';
import { associatedTokenAddress } from '../addresses/associated-token-address.js';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM, type TokenProgram } from '../addresses/programs.js';
import { FEE_WALLET, OTHER_MINT, THIEF } from './actors.js';
import { compile, type Forgery, honestInstructions } from './forgery.js';
import { payerOf, type Scenario } from './scenarios.js';

type Token = Pick<intentV1.Transfer, 'mint' | 'tokenProgram' | 'decimals'>;

/** Messages that pay another fee to the operator than the intent says, or one that it does not mention. */
export function forgedFees(scenario: Scenario): Forgery[] {
  const { intent } = scenario;
  if (intent.action?.$case !== 'transfer') return [];
  const { wallet } = intent;
  const transfer = intent.action.value;
  const instructions = honestInstructions(scenario);
  const honest = transfer.fee === undefined ? instructions : instructions.toSpliced(-2, 1);
  const fee = transfer.fee ?? 320_500n;
  const pay = (to: PublicKey, amount: bigint, token: Token = transfer, from = wallet) =>
    payment({ from, to: to.toBase58(), amount, token });
  const forgery = (name: string, ...fees: TransactionInstruction[]): Forgery => ({
    name,
    message: compile(new PublicKey(payerOf(scenario)), honest.toSpliced(-1, 0, ...fees)),
  });
  const after = (name: string, last: TransactionInstruction): Forgery => ({
    name,
    message: compile(new PublicKey(payerOf(scenario)), [...honest, last]),
  });
  return [
    forgery('a fee to a thief', pay(THIEF, fee)),
    forgery('a higher fee', pay(FEE_WALLET, fee + 1n)),
    forgery('a fee of all there is', pay(FEE_WALLET, 2n ** 64n - 1n)),
    forgery('a lower fee', pay(FEE_WALLET, fee - 1n)),
    forgery('a fee of nothing', pay(FEE_WALLET, 0n)),
    forgery('the fee twice', pay(FEE_WALLET, fee), pay(FEE_WALLET, fee)),
    forgery('the fee and one to a thief', pay(FEE_WALLET, fee), pay(THIEF, fee)),
    forgery('the fee in two halves', pay(FEE_WALLET, fee - 1n), pay(FEE_WALLET, 1n)),
    forgery('a fee in another token', pay(FEE_WALLET, fee, otherToken(transfer))),
    forgery('a fee in the native coin, or in a token', pay(FEE_WALLET, fee, otherCoin(transfer))),
    after('the fee after the transfer', pay(FEE_WALLET, fee)),
    ...(transfer.fee === undefined ? [forgery('an unrequested fee', pay(FEE_WALLET, fee))] : []),
    ...(transfer.fee === undefined ? [] : [forgery('no fee')]),
    ...(intent.sponsor === undefined
      ? []
      : [forgery('a fee of the sponsor', pay(FEE_WALLET, fee, transfer, intent.sponsor))]),
  ];
}

function payment(paid: { from: string; to: string; amount: bigint; token: Token }): TransactionInstruction {
  const { from, to, amount } = paid;
  const { mint, decimals } = paid.token;
  if (mint === '') {
    return SystemProgram.transfer({ fromPubkey: new PublicKey(from), toPubkey: new PublicKey(to), lamports: amount });
  }
  const tokenProgram = paid.token.tokenProgram as TokenProgram;
  const accountOf = (owner: string) => new PublicKey(associatedTokenAddress({ owner, mint, tokenProgram }));
  return createTransferCheckedInstruction(
    ...([accountOf(from), new PublicKey(mint), accountOf(to), new PublicKey(from), amount] as const),
    decimals,
    [],
    new PublicKey(tokenProgram),
  );
}

/** Returns the same mint address under the other token program; for the native coin, any token. */
function otherToken({ mint, tokenProgram, decimals }: Token): Token {
  if (mint === '') return { mint: OTHER_MINT.toBase58(), tokenProgram: TOKEN_PROGRAM, decimals };
  return { mint, tokenProgram: tokenProgram === TOKEN_PROGRAM ? TOKEN_2022_PROGRAM : TOKEN_PROGRAM, decimals };
}

function otherCoin({ mint }: Token): Token {
  if (mint === '') return { mint: OTHER_MINT.toBase58(), tokenProgram: TOKEN_2022_PROGRAM, decimals: 6 };
  return { mint: '', tokenProgram: '', decimals: 9 };
}
