import {
  AuthorityType,
  createApproveInstruction,
  createAssociatedTokenAccountIdempotentInstruction,
  createAssociatedTokenAccountInstruction,
  createCloseAccountInstruction,
  createInitializeAccount3Instruction,
  createSetAuthorityInstruction,
  createSyncNativeInstruction,
  createTransferInstruction,
  getAssociatedTokenAddressSync,
  NATIVE_MINT,
  NATIVE_MINT_2022,
  TOKEN_2022_PROGRAM_ID,
} from '@solana/spl-token';
import { PublicKey, SystemProgram, type TransactionInstruction } from '@solana/web3.js';
import { MINT, OTHER_MINT, RECIPIENT, THIEF } from './actors.js';
import { compile, type Forgery, honestInstructions } from './forgery.js';
import { payerOf, type Scenario } from './scenarios.js';

const wrapped = (owner: PublicKey) => getAssociatedTokenAddressSync(NATIVE_MINT, owner, true);
const lamportsTo = (fromPubkey: PublicKey, toPubkey: PublicKey, lamports: bigint) =>
  SystemProgram.transfer({ fromPubkey, toPubkey, lamports });

/** Messages that unwrap otherwise than their intent says, or take more of the wrapped SOL. */
export function forgedUnwraps(scenario: Scenario): Forgery[] {
  const { action, wallet: address } = scenario.intent;
  if (action?.$case !== 'unwrap') return [];
  const wallet = new PublicKey(address);
  const honest = honestInstructions(scenario);
  const closing = honest.findIndex(({ data }) => data.length === 1 && data[0] === 9);
  const forgery = (name: string, instructions: TransactionInstruction[]): Forgery => ({
    name,
    message: compile(new PublicKey(payerOf(scenario)), instructions),
  });
  const rest = honest.slice(closing + 1);
  const before = honest.slice(0, closing);
  return [
    forgery('closed with any balance', honest.toSpliced(closing - 1, 1)),
    forgery('closed before it is known what it holds', [
      ...honest.slice(0, closing - 1),
      honest[closing]!,
      honest[closing - 1]!,
      ...rest,
    ]),
    ...otherClosings(wallet).map(([name, other]) => forgery(name, honest.with(closing, other))),
    ...otherClosings(wallet).map(([name, other]) => forgery(`${name}, too`, [...honest, other])),
    ...authorities(wallet).map(([name, other]) => forgery(`${name} first`, honest.toSpliced(closing, 0, other))),
    ...authorities(wallet).map(([name, other]) => forgery(`${name} at the end`, [...honest, other])),
    ...(rest.length === 0
      ? unaskedRemainders(wallet).map(([name, others]) => forgery(name, [...honest, ...others]))
      : otherRemainders(wallet, action.value.remainder, rest).map(([name, others]) =>
          forgery(name, [...before, honest[closing]!, ...others]),
        )),
  ];
}

type Named<What> = readonly [name: string, what: What];

function otherClosings(wallet: PublicKey): Named<TransactionInstruction>[] {
  const token2022 = getAssociatedTokenAddressSync(NATIVE_MINT_2022, wallet, true, TOKEN_2022_PROGRAM_ID);
  const of = (mint: PublicKey) => getAssociatedTokenAddressSync(mint, wallet, true);
  return [
    ['closed to a thief', createCloseAccountInstruction(wrapped(wallet), THIEF, wallet)],
    ['closed to another', createCloseAccountInstruction(wrapped(wallet), RECIPIENT, wallet)],
    ["closed to a thief's wrapped SOL", createCloseAccountInstruction(wrapped(wallet), wrapped(THIEF), wallet)],
    ["another mint's account closed", createCloseAccountInstruction(of(MINT), wallet, wallet)],
    ["a third mint's account closed to a thief", createCloseAccountInstruction(of(OTHER_MINT), THIEF, wallet)],
    ["another's wrapped SOL closed", createCloseAccountInstruction(wrapped(RECIPIENT), wallet, wallet)],
    ['closed by a thief', createCloseAccountInstruction(wrapped(wallet), wallet, THIEF)],
    ['closed by many', createCloseAccountInstruction(wrapped(wallet), wallet, wallet, [wallet, THIEF])],
    [
      'closed by the other token program',
      createCloseAccountInstruction(wrapped(wallet), wallet, wallet, [], TOKEN_2022_PROGRAM_ID),
    ],
    [
      "the other token program's wrapped SOL closed",
      createCloseAccountInstruction(token2022, wallet, wallet, [], TOKEN_2022_PROGRAM_ID),
    ],
    ['wrapped SOL sent to a thief', createTransferInstruction(wrapped(wallet), wrapped(THIEF), wallet, 1n)],
  ];
}

function authorities(wallet: PublicKey): Named<TransactionInstruction>[] {
  const account = wrapped(wallet);
  const setAuthority = (type: AuthorityType, to: PublicKey | null) =>
    createSetAuthorityInstruction(account, wallet, type, to);
  return [
    ['the owner of the wrapped SOL set', setAuthority(AuthorityType.AccountOwner, THIEF)],
    ['who may close the wrapped SOL set', setAuthority(AuthorityType.CloseAccount, THIEF)],
    ['the close authority of the wrapped SOL removed', setAuthority(AuthorityType.CloseAccount, null)],
    ['the wrapped SOL approved to a thief', createApproveInstruction(account, THIEF, wallet, 2n ** 64n - 1n)],
    ["a thief's account made in its place", createInitializeAccount3Instruction(account, NATIVE_MINT, THIEF)],
    ['SOL wrapped before', lamportsTo(wallet, account, 1n)],
  ];
}

function unaskedRemainders(wallet: PublicKey): Named<TransactionInstruction[]>[] {
  const account = wrapped(wallet);
  const creation = createAssociatedTokenAccountIdempotentInstruction(wallet, account, wallet, NATIVE_MINT);
  return [
    ['the account made again', [creation]],
    ['an unrequested remainder', [creation, lamportsTo(wallet, account, 1n), createSyncNativeInstruction(account)]],
    ['lamports to the closed account', [lamportsTo(wallet, account, 1n)]],
    ['lamports to a thief', [lamportsTo(wallet, THIEF, 700_000_000n)]],
  ];
}

function otherRemainders(
  wallet: PublicKey,
  remainder: bigint,
  [creation, funding, sync]: TransactionInstruction[],
): Named<TransactionInstruction[]>[] {
  const account = wrapped(wallet);
  const [made, paid, synced] = [creation!, funding!, sync!];
  const create = (payer: PublicKey, owner: PublicKey, mint = NATIVE_MINT) =>
    createAssociatedTokenAccountIdempotentInstruction(
      payer,
      getAssociatedTokenAddressSync(mint, owner, true),
      owner,
      mint,
    );
  return [
    ['no remainder', []],
    ['the account made again and left empty', [made]],
    ['a remainder that is not made known', [made, paid]],
    ['a remainder without an account', [paid, synced]],
    ['a remainder before its account', [paid, made, synced]],
    ['made known before it is there', [made, synced, paid]],
    ['one lamport less stays', [made, lamportsTo(wallet, account, remainder - 1n), synced]],
    ['one lamport more stays', [made, lamportsTo(wallet, account, remainder + 1n), synced]],
    ['nothing stays', [made, lamportsTo(wallet, account, 0n), synced]],
    ['the remainder twice', [made, paid, paid, synced]],
    ['the remainder to a thief', [made, lamportsTo(wallet, THIEF, remainder), synced]],
    ["the remainder to a thief's wrapped SOL", [made, lamportsTo(wallet, wrapped(THIEF), remainder), synced]],
    ['the account made for a thief', [create(wallet, THIEF), paid, synced]],
    ['an account of another mint', [create(wallet, wallet, OTHER_MINT), paid, synced]],
    ['the account paid by a thief', [create(THIEF, wallet), paid, synced]],
    ['another account made known', [made, paid, createSyncNativeInstruction(wrapped(THIEF))]],
    [
      'made known by the other token program',
      [made, paid, createSyncNativeInstruction(account, TOKEN_2022_PROGRAM_ID)],
    ],
    [
      'the account made by the instruction that fails when it exists',
      [createAssociatedTokenAccountInstruction(wallet, account, wallet, NATIVE_MINT), paid, synced],
    ],
  ];
}
