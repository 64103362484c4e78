import {
  createAssociatedTokenAccountIdempotentInstruction,
  createEnableCpiGuardInstruction,
  createEnableRequiredMemoTransfersInstruction,
  createHarvestWithheldTokensToMintInstruction,
  createReallocateInstruction,
  createTransferCheckedInstruction,
  createTransferCheckedWithFeeInstruction,
  createWithdrawWithheldTokensFromAccountsInstruction,
  ExtensionType,
  getAssociatedTokenAddressSync,
  TOKEN_2022_PROGRAM_ID,
  TOKEN_PROGRAM_ID,
} from '@solana/spl-token';
import { PublicKey, TransactionInstruction } from '@solana/web3.js';
import type { intentV1 } from '@agent-wallet/contracts';
import { keyOf, MINT, RECIPIENT, THIEF, UNKNOWN_PROGRAM } from './actors.js';
import { compile, type Forgery, honestInstructions } from './forgery.js';
import { payerOf, type Scenario } from './scenarios.js';

const PROGRAM = TOKEN_2022_PROGRAM_ID;
/** Account in which a transfer hook keeps the list of accounts that it wants. */
const HOOK_ACCOUNTS = keyOf('extra account metas');

/** Returns forgeries with Token-2022's other features around a transfer. */
export function forgedToken2022(scenario: Scenario): Forgery[] {
  const { action, wallet: address } = scenario.intent;
  if (action?.$case !== 'transfer' || action.value.tokenProgram !== PROGRAM.toBase58()) return [];
  const wallet = new PublicKey(address);
  const honest = honestInstructions(scenario);
  const forgery = (name: string, instructions: TransactionInstruction[]): Forgery => ({
    name,
    message: compile(new PublicKey(payerOf(scenario)), instructions),
  });
  return [
    ...otherTransfers(wallet, action.value, honest.at(-1)!).map(([name, other]) =>
      forgery(name, honest.with(-1, other)),
    ),
    ...besides(wallet).flatMap(([name, other]) => [
      forgery(`${name} before`, honest.toSpliced(-1, 0, other)),
      forgery(`${name} after`, [...honest, other]),
    ]),
  ];
}

type Named = readonly [name: string, instruction: TransactionInstruction];

const accountOf = (owner: PublicKey, program = PROGRAM) => getAssociatedTokenAddressSync(MINT, owner, true, program);

/** Returns replacements of the transfer. */
function otherTransfers(
  wallet: PublicKey,
  { amount, decimals }: intentV1.Transfer,
  honest: TransactionInstruction,
): Named[] {
  const route = [accountOf(wallet), MINT, accountOf(RECIPIENT), wallet] as const;
  const { programId, keys, data } = honest;
  const withAccounts = (...extra: PublicKey[]) => {
    const metas = extra.map((pubkey) => ({ pubkey, isSigner: false, isWritable: false }));
    return new TransactionInstruction({ programId, keys: [...keys, ...metas], data });
  };
  const withFee = (fee: bigint) =>
    createTransferCheckedWithFeeInstruction(...route, amount, decimals, fee, [], PROGRAM);
  const between = (source: PublicKey, destination: PublicKey, program = PROGRAM) =>
    createTransferCheckedInstruction(source, MINT, destination, wallet, amount, decimals, [], program);
  return [
    ['a transfer with a stated fee', withFee(1n)],
    ['a transfer with a stated fee of nothing', withFee(0n)],
    ['a transfer with all of it as the fee', withFee(amount)],
    ['a hook with its accounts', withAccounts(HOOK_ACCOUNTS, UNKNOWN_PROGRAM)],
    ['the accounts of a hook without the hook', withAccounts(HOOK_ACCOUNTS)],
    ['a hook that is given the wallet', withAccounts(wallet, HOOK_ACCOUNTS, UNKNOWN_PROGRAM)],
    ['a hook that is given a thief', withAccounts(THIEF, HOOK_ACCOUNTS, UNKNOWN_PROGRAM)],
    [
      "to the recipient's account of the other program",
      between(accountOf(wallet), accountOf(RECIPIENT, TOKEN_PROGRAM_ID)),
    ],
    [
      "from the wallet's account of the other program",
      between(accountOf(wallet, TOKEN_PROGRAM_ID), accountOf(RECIPIENT)),
    ],
    ['by the other program', between(accountOf(wallet), accountOf(RECIPIENT), TOKEN_PROGRAM_ID)],
    ['by many', createTransferCheckedInstruction(...route, amount, decimals, [wallet, THIEF], PROGRAM)],
  ];
}

/** Returns additions to the transfer. */
function besides(wallet: PublicKey): Named[] {
  const own = accountOf(wallet);
  const raw = (bytes: number[], ...extra: PublicKey[]) =>
    new TransactionInstruction({
      programId: PROGRAM,
      keys: [
        { pubkey: own, isSigner: false, isWritable: true },
        ...extra.map((pubkey) => ({ pubkey, isSigner: false, isWritable: false })),
        { pubkey: wallet, isSigner: true, isWritable: false },
      ],
      data: Buffer.from(bytes),
    });
  return [
    ['memos required', createEnableRequiredMemoTransfersInstruction(own, wallet)],
    ['the guard against other programs', createEnableCpiGuardInstruction(own, wallet)],
    ['the account made longer', createReallocateInstruction(own, wallet, [ExtensionType.MemoTransfer], wallet)],
    ['withheld fees harvested', createHarvestWithheldTokensToMintInstruction(MINT, [own])],
    [
      'withheld fees to a thief',
      createWithdrawWithheldTokensFromAccountsInstruction(MINT, accountOf(THIEF), wallet, [], [own]),
    ],
    ['a confidential account', raw([27, 2], MINT)],
    ['a confidential deposit', raw([27, 5, 1, 0, 0, 0, 0, 0, 0, 0, 6], MINT)],
    ['lamports taken out of the account', raw([38], THIEF)],
    [
      "a thief's account",
      createAssociatedTokenAccountIdempotentInstruction(wallet, accountOf(THIEF), THIEF, MINT, PROGRAM),
    ],
  ];
}
