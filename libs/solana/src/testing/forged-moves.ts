import {
  AuthorityType,
  createApproveCheckedInstruction,
  createAssociatedTokenAccountIdempotentInstruction,
  createAssociatedTokenAccountInstruction,
  createBurnCheckedInstruction,
  createCloseAccountInstruction,
  createSetAuthorityInstruction,
  createTransferCheckedInstruction,
  createTransferInstruction,
  getAssociatedTokenAddressSync,
  TOKEN_2022_PROGRAM_ID,
  TOKEN_PROGRAM_ID,
} from '@solana/spl-token';
import { PublicKey, SystemProgram, TransactionInstruction } from '@solana/web3.js';
import { MEMO_PROGRAM } from '../addresses/programs.js';
import { MINT, NONCE_ACCOUNT, OTHER_MINT, RECIPIENT, SPONSOR, THIEF } from './actors.js';
import { compile, type Forgery, honestInstructions } from './forgery.js';
import { payerOf, type Scenario, signerOf } from './scenarios.js';

const DECIMALS = 6;

/** The parties of an escrow or a payout. */
interface Parties {
  readonly from: PublicKey;
  readonly to: PublicKey;
  readonly amount: bigint;
  readonly payer: PublicKey;
}

type Named = readonly [name: string, instructions: TransactionInstruction[]];

/** Returns forgeries of a move between a wallet and the treasury: every other use of that money. */
export function forgedMoves(scenario: Scenario): Forgery[] {
  const { action, wallet } = scenario.intent;
  if (action?.$case !== 'escrow' && action?.$case !== 'payout') return [];
  const { treasury, amount } = action.value;
  const from = new PublicKey(signerOf(scenario));
  const to = new PublicKey(action.$case === 'escrow' ? treasury : wallet);
  const payer = new PublicKey(payerOf(scenario));
  const parties = { from, to, amount, payer };
  const honest = honestInstructions(scenario);
  const before = honest.slice(0, -1);
  return [
    ...[...otherRoutes(parties), ...otherAmounts(parties)].map(([name, instructions]) => ({
      name,
      message: compile(payer, [...before, ...instructions]),
    })),
    ...besides(parties).flatMap(([name, instructions]) => [
      { name: `${name}, too`, message: compile(payer, [...honest, ...instructions]) },
      { name: `${name} before`, message: compile(payer, honest.toSpliced(-1, 0, ...instructions)) },
      { name: `${name} instead`, message: compile(payer, [...before, ...instructions]) },
    ]),
    ...otherPayers(parties, honest),
  ];
}

const accountOf = (owner: PublicKey, mint = MINT, program = TOKEN_PROGRAM_ID) =>
  getAssociatedTokenAddressSync(mint, owner, true, program);

function moved(source: PublicKey, destination: PublicKey, owner: PublicKey, amount: bigint): TransactionInstruction {
  return createTransferCheckedInstruction(source, MINT, destination, owner, amount, DECIMALS);
}

/** Returns moves of the right amount from or to another account. */
function otherRoutes({ from, to, amount }: Parties): Named[] {
  const [source, destination] = [accountOf(from), accountOf(to)];
  return [
    ["to a thief's account", [moved(source, accountOf(THIEF), from, amount)]],
    ["to another wallet's account", [moved(source, accountOf(RECIPIENT), from, amount)]],
    ['to the receiver instead of its account', [moved(source, to, from, amount)]],
    [
      "to the receiver's account of the other program",
      [moved(source, accountOf(to, MINT, TOKEN_2022_PROGRAM_ID), from, amount)],
    ],
    ["to the receiver's account of another mint", [moved(source, accountOf(to, OTHER_MINT), from, amount)]],
    ['to where it comes from', [moved(source, source, from, amount)]],
    ['to the mint', [moved(source, MINT, from, amount)]],
    ['back again', [moved(destination, source, from, amount)]],
    ["of the receiver's account, as if the sender owned it", [moved(destination, accountOf(THIEF), from, amount)]],
    ['by an owner who is the receiver', [moved(source, destination, to, amount)]],
    ['by an owner who is a thief', [moved(source, destination, THIEF, amount)]],
    ["of the sender's account of another mint", [moved(accountOf(from, OTHER_MINT), destination, from, amount)]],
    ['of another mint', [createTransferCheckedInstruction(source, OTHER_MINT, destination, from, amount, DECIMALS)]],
    [
      'of an owner of many keys',
      [createTransferCheckedInstruction(source, MINT, destination, from, amount, DECIMALS, [from])],
    ],
    [
      'by the other program',
      [createTransferCheckedInstruction(source, MINT, destination, from, amount, DECIMALS, [], TOKEN_2022_PROGRAM_ID)],
    ],
    ['without the mint', [createTransferInstruction(source, destination, from, amount)]],
    ["of SOL in the token's place", [SystemProgram.transfer({ fromPubkey: from, toPubkey: to, lamports: amount })]],
  ];
}

/** Returns moves of another amount between the right accounts. */
function otherAmounts({ from, to, amount }: Parties): Named[] {
  const pay = (units: bigint, receiver = to) => moved(accountOf(from), accountOf(receiver), from, units);
  return [
    ['a base unit more', [pay(amount + 1n)]],
    ['a base unit less', [pay(amount - 1n)]],
    ['everything there can be', [pay(2n ** 64n - 1n)]],
    ['nothing', [pay(0n)]],
    ['the amount twice', [pay(amount), pay(amount)]],
    ['the amount in two parts', [pay(amount - 1n), pay(1n)]],
    ['the amount, and a base unit', [pay(amount), pay(1n)]],
    ['the amount, and as much to a thief', [pay(amount), pay(amount, THIEF)]],
    ['as much to a thief, and the amount', [pay(amount, THIEF), pay(amount)]],
    ['the amount to two receivers in halves', [pay(amount / 2n, THIEF), pay(amount / 2n)]],
    ['other decimals', [createTransferCheckedInstruction(accountOf(from), MINT, accountOf(to), from, amount, 9)]],
  ];
}

/** Returns other actions that the sender's key could allow. */
function besides({ from, to, amount, payer }: Parties): Named[] {
  const source = accountOf(from);
  const memo = new TransactionInstruction({ programId: new PublicKey(MEMO_PROGRAM), keys: [], data: Buffer.from('x') });
  return [
    ['a thief as a delegate', [createApproveCheckedInstruction(source, MINT, THIEF, from, amount, DECIMALS)]],
    ['the receiver as a delegate', [createApproveCheckedInstruction(source, MINT, to, from, amount, DECIMALS)]],
    ['the account given away', [createSetAuthorityInstruction(source, from, AuthorityType.AccountOwner, THIEF)]],
    ['the right to close given away', [createSetAuthorityInstruction(source, from, AuthorityType.CloseAccount, THIEF)]],
    ['the account closed', [createCloseAccountInstruction(source, THIEF, from)]],
    ['the account closed to the receiver', [createCloseAccountInstruction(source, to, from)]],
    ['the amount burned', [createBurnCheckedInstruction(source, MINT, from, amount, DECIMALS)]],
    ['SOL to a thief', [SystemProgram.transfer({ fromPubkey: from, toPubkey: THIEF, lamports: 1n })]],
    ['SOL to the receiver', [SystemProgram.transfer({ fromPubkey: from, toPubkey: to, lamports: 1n })]],
    ["the sender's wallet given away", [SystemProgram.assign({ accountPubkey: from, programId: TOKEN_PROGRAM_ID })]],
    ["a thief's account made", [madeBy(payer, THIEF)]],
    ['the sender’s account made', [madeBy(payer, from)]],
    ["the receiver's account of another mint made", [madeBy(payer, to, OTHER_MINT)]],
    [
      "the receiver's account made, or not at all",
      [createAssociatedTokenAccountInstruction(payer, accountOf(to), to, MINT)],
    ],
    ['a nonce', [SystemProgram.nonceAdvance({ noncePubkey: NONCE_ACCOUNT, authorizedPubkey: from })]],
    ['a memo', [memo]],
  ];
}

function madeBy(payer: PublicKey, owner: PublicKey, mint = MINT): TransactionInstruction {
  return createAssociatedTokenAccountIdempotentInstruction(payer, accountOf(owner, mint), owner, mint);
}

/** Returns the honest instructions, paid for or signed by another wallet. */
function otherPayers({ from, to, payer }: Parties, honest: readonly TransactionInstruction[]): Forgery[] {
  const last = honest.at(-1)!;
  const alsoSigned = (signer: PublicKey) => {
    const keys = [...last.keys, { pubkey: signer, isSigner: true, isWritable: false }];
    return honest.with(-1, new TransactionInstruction({ programId: last.programId, keys, data: last.data }));
  };
  const others = { 'the receiver': to, 'a thief': THIEF, ...(payer.equals(from) ? { 'the sponsor': SPONSOR } : {}) };
  return Object.entries(others).flatMap(([who, key]) => [
    { name: `${who} pays for the move`, message: compile(key, [...honest]) },
    { name: `${who} pays for the move (legacy)`, message: compile(key, [...honest], 'legacy') },
    { name: `${who} signs the move, too`, message: compile(payer, alsoSigned(key)) },
  ]);
}
