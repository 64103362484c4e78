import {
  AuthorityType,
  createApproveCheckedInstruction,
  createApproveInstruction,
  createAssociatedTokenAccountIdempotentInstruction,
  createBurnInstruction,
  createCloseAccountInstruction,
  createRevokeInstruction,
  createSetAuthorityInstruction,
  createSyncNativeInstruction,
  createTransferCheckedInstruction,
  createTransferCheckedWithFeeInstruction,
  createTransferInstruction,
  getAssociatedTokenAddressSync,
  TOKEN_2022_PROGRAM_ID,
  TOKEN_PROGRAM_ID,
} from '@solana/spl-token';
import {
  AddressLookupTableProgram,
  ComputeBudgetProgram,
  PublicKey,
  StakeProgram,
  SystemProgram,
  TransactionInstruction,
} from '@solana/web3.js';
import { MEMO_PROGRAM } from '../addresses/programs.js';
import { MINT, NONCE_ACCOUNT, OTHER_MINT, RECIPIENT, THIEF, UNKNOWN_PROGRAM } from './actors.js';

/** An instruction that has no business in a transfer, by what it does. */
interface ForeignInstruction {
  readonly name: string;
  readonly instruction: TransactionInstruction;
}

/** Instructions that each would be signed by the wallet, were they let through. */
export function foreignInstructions(wallet: PublicKey): ForeignInstruction[] {
  return [
    ...tokenInstructions(wallet, TOKEN_PROGRAM_ID),
    ...tokenInstructions(wallet, TOKEN_2022_PROGRAM_ID),
    ...systemInstructions(wallet),
    ...otherInstructions(wallet),
  ].map(([name, instruction]) => ({ name, instruction }));
}

type Named = [name: string, instruction: TransactionInstruction];

function tokenInstructions(wallet: PublicKey, program: PublicKey): Named[] {
  const own = getAssociatedTokenAddressSync(MINT, wallet, true, program);
  const stolen = getAssociatedTokenAddressSync(MINT, THIEF, true, program);
  const label = program.equals(TOKEN_PROGRAM_ID) ? 'token' : 'token-2022';
  const named: Named[] = [
    ['transferChecked', createTransferCheckedInstruction(own, MINT, stolen, wallet, 1n, 6, [], program)],
    ['unchecked transfer', createTransferInstruction(own, stolen, wallet, 1n, [], program)],
    ['setAuthority of the owner', setAuthority(own, wallet, AuthorityType.AccountOwner, program)],
    ['setAuthority to close', setAuthority(own, wallet, AuthorityType.CloseAccount, program)],
    ['setAuthority of the mint', setAuthority(MINT, wallet, AuthorityType.MintTokens, program)],
    ['approve', createApproveInstruction(own, THIEF, wallet, 2n ** 64n - 1n, [], program)],
    ['approveChecked', createApproveCheckedInstruction(own, MINT, THIEF, wallet, 2n ** 64n - 1n, 6, [], program)],
    ['revoke', createRevokeInstruction(own, wallet, [], program)],
    ['closeAccount', createCloseAccountInstruction(own, THIEF, wallet, [], program)],
    ['burn', createBurnInstruction(own, MINT, wallet, 1n, [], program)],
    ['syncNative', createSyncNativeInstruction(own, program)],
  ];
  if (program.equals(TOKEN_2022_PROGRAM_ID)) {
    named.push([
      'transferChecked with fee',
      createTransferCheckedWithFeeInstruction(own, MINT, stolen, wallet, 9n, 6, 1n, [], program),
    ]);
  }
  return named.map(([name, instruction]) => [`${label} ${name}`, instruction]);
}

function setAuthority(account: PublicKey, wallet: PublicKey, type: AuthorityType, program: PublicKey) {
  return createSetAuthorityInstruction(account, wallet, type, THIEF, [], program);
}

function systemInstructions(wallet: PublicKey): Named[] {
  const seeded = { basePubkey: wallet, seed: 'x', programId: UNKNOWN_PROGRAM };
  const nonce = { noncePubkey: NONCE_ACCOUNT, authorizedPubkey: wallet };
  return [
    ['system transfer to a thief', SystemProgram.transfer({ fromPubkey: wallet, toPubkey: THIEF, lamports: 1n })],
    ['second system transfer', SystemProgram.transfer({ fromPubkey: wallet, toPubkey: RECIPIENT, lamports: 1n })],
    ['transfer with seed', SystemProgram.transfer({ fromPubkey: THIEF, toPubkey: THIEF, lamports: 1n, ...seeded })],
    ['assign', SystemProgram.assign({ accountPubkey: wallet, programId: UNKNOWN_PROGRAM })],
    ['allocate', SystemProgram.allocate({ accountPubkey: wallet, space: 8 })],
    ['allocate with seed', SystemProgram.allocate({ accountPubkey: THIEF, space: 8, ...seeded })],
    [
      'create account',
      SystemProgram.createAccount({
        fromPubkey: wallet,
        newAccountPubkey: wallet,
        lamports: 1,
        space: 0,
        programId: UNKNOWN_PROGRAM,
      }),
    ],
    [
      'create account with seed',
      SystemProgram.createAccountWithSeed({
        fromPubkey: wallet,
        newAccountPubkey: THIEF,
        lamports: 1,
        space: 0,
        ...seeded,
      }),
    ],
    ['nonce advance', SystemProgram.nonceAdvance(nonce)],
    ['nonce withdraw', SystemProgram.nonceWithdraw({ ...nonce, toPubkey: THIEF, lamports: 1 })],
    ['nonce authorize', SystemProgram.nonceAuthorize({ ...nonce, newAuthorizedPubkey: THIEF })],
  ];
}

function otherInstructions(wallet: PublicKey): Named[] {
  const memo = (signers: PublicKey[], text: string) =>
    new TransactionInstruction({
      programId: new PublicKey(MEMO_PROGRAM),
      keys: signers.map((pubkey) => ({ pubkey, isSigner: true, isWritable: false })),
      data: Buffer.from(text),
    });
  const keys = [{ pubkey: wallet, isSigner: true, isWritable: true }];
  return [
    [
      'call of an unknown program',
      new TransactionInstruction({ programId: UNKNOWN_PROGRAM, keys, data: Buffer.of(1) }),
    ],
    [
      'call without accounts',
      new TransactionInstruction({ programId: UNKNOWN_PROGRAM, keys: [], data: Buffer.alloc(0) }),
    ],
    ['memo signed by the wallet', memo([wallet], 'I owe you everything')],
    ['another memo', memo([], 'hello')],
    ['empty memo', memo([], '')],
    ["a thief's token account", tokenAccount(wallet, THIEF, MINT)],
    ['account of another token', tokenAccount(wallet, RECIPIENT, OTHER_MINT)],
    ['own account of another token', tokenAccount(wallet, wallet, OTHER_MINT)],
    [
      'stake authorize',
      StakeProgram.deactivate({ stakePubkey: NONCE_ACCOUNT, authorizedPubkey: wallet }).instructions[0]!,
    ],
    [
      'lookup table',
      AddressLookupTableProgram.createLookupTable({ authority: wallet, payer: wallet, recentSlot: 1 })[0],
    ],
    ['second compute unit limit', ComputeBudgetProgram.setComputeUnitLimit({ units: 1_400_000 })],
    ['second compute unit price', ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 10n ** 12n })],
    ['heap frame', ComputeBudgetProgram.requestHeapFrame({ bytes: 256 * 1024 })],
    ['loaded accounts limit', budgetInstruction(4)],
    ['units and fee of the old kind', budgetInstruction(0)],
  ];
}

function tokenAccount(payer: PublicKey, owner: PublicKey, mint: PublicKey): TransactionInstruction {
  const address = getAssociatedTokenAddressSync(mint, owner, true);
  return createAssociatedTokenAccountIdempotentInstruction(payer, address, owner, mint);
}

function budgetInstruction(discriminator: number): TransactionInstruction {
  const data = Buffer.alloc(discriminator === 0 ? 9 : 5);
  data.writeUInt8(discriminator);
  return new TransactionInstruction({ programId: ComputeBudgetProgram.programId, keys: [], data });
}
