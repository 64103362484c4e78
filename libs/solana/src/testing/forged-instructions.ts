import { PublicKey, TransactionInstruction } from '@solana/web3.js';
import { MAX_BASE_UNITS } from '@agent-wallet/kernel';
import { ASSOCIATED_TOKEN_PROGRAM, MEMO_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../addresses/programs.js';
import { readComputeUnitPrice } from '../messages/compute-budget.js';
import {
  boundsOf,
  FEE_WALLET,
  isLiquidity,
  isMove,
  MINT,
  OTHER_MINT,
  RECIPIENT,
  THIEF,
  UNKNOWN_PROGRAM,
} from './actors.js';
import { foreignInstructions } from './foreign-instructions.js';
import { compile, type Forgery, honestInstructions, honestMessage } from './forgery.js';
import { payerOf, type Scenario, signerOf } from './scenarios.js';

/** Messages with an instruction too many, too few, in the wrong place, or changed. */
export function forgedInstructions(scenario: Scenario): Forgery[] {
  const wallet = new PublicKey(signerOf(scenario));
  const honest = honestInstructions(scenario);
  const forgery = (name: string, instructions: TransactionInstruction[], payer = payerOf(scenario)): Forgery => ({
    name,
    message: compile(new PublicKey(payer), instructions),
  });
  const forgeries = [
    ...foreignInstructions(wallet).flatMap(({ name, instruction }) => [
      forgery(`${name} at the end`, [...honest, instruction]),
      forgery(`${name} at the front`, [instruction, ...honest]),
      forgery(`${name} instead of the last one`, [...honest.slice(0, -1), instruction]),
    ]),
    // To offer no price does no harm.
    ...honest.flatMap((instruction, i) =>
      readComputeUnitPrice(instruction.data) === undefined
        ? forgery(`without instruction ${i}`, honest.toSpliced(i, 1))
        : [],
    ),
    ...honest.map((instruction, i) => forgery(`instruction ${i} twice`, honest.toSpliced(i, 0, instruction))),
    forgery('in reverse', [...honest].reverse()),
    forgery('nothing at all', []),
    forgery('a thief pays', honest, THIEF.toBase58()),
    ...changedInstructions(honest, scenario).map(({ name, at, instruction }) =>
      forgery(name, honest.with(at, instruction)),
    ),
  ];
  const original = honestMessage(scenario);
  return forgeries.filter(({ message }) => !isSame(message, original));
}

const isSame = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;

interface Changed {
  readonly name: string;
  readonly at: number;
  readonly instruction: TransactionInstruction;
}

/** Returns every instruction with another program, other accounts and other data. */
function changedInstructions(honest: readonly TransactionInstruction[], scenario: Scenario): Changed[] {
  return honest.flatMap((instruction, at) =>
    [
      ...changedPrograms(instruction),
      ...changedAccounts(instruction, scenario),
      ...changedData(instruction),
      ...changedAmounts(instruction, scenario),
    ].map(({ name, instruction: changed }) => ({ name: `instruction ${at}: ${name}`, at, instruction: changed })),
  );
}

type Change = Omit<Changed, 'at'>;
type Parts = ConstructorParameters<typeof TransactionInstruction>[0];

function change(original: TransactionInstruction, name: string, parts: Partial<Parts>): Change {
  const { programId, keys, data } = original;
  return { name, instruction: new TransactionInstruction({ programId, keys, data, ...parts }) };
}

function changedPrograms(original: TransactionInstruction): Change[] {
  return [TOKEN_PROGRAM, TOKEN_2022_PROGRAM, ASSOCIATED_TOKEN_PROGRAM, MEMO_PROGRAM, UNKNOWN_PROGRAM.toBase58()].map(
    (program) => change(original, `program ${program}`, { programId: new PublicKey(program) }),
  );
}

function changedAccounts(original: TransactionInstruction, { intent }: Scenario): Change[] {
  const { keys } = original;
  const strangers = {
    thief: THIEF,
    recipient: RECIPIENT,
    mint: MINT,
    'other mint': OTHER_MINT,
    'fee wallet': FEE_WALLET,
    wallet: new PublicKey(intent.wallet),
    ...(intent.sponsor === undefined ? {} : { sponsor: new PublicKey(intent.sponsor) }),
    ...(isMove(intent.action) ? { treasury: new PublicKey(intent.action.value.treasury) } : {}),
  };
  const changes = Object.entries(strangers).flatMap(([who, pubkey]) => [
    ...keys.map((key, i) => change(original, `account ${i} is the ${who}`, { keys: keys.with(i, { ...key, pubkey }) })),
    change(original, `the ${who} as one more account`, {
      keys: [...keys, { pubkey, isSigner: false, isWritable: true }],
    }),
    change(original, `the ${who} as one more signer`, {
      keys: [...keys, { pubkey, isSigner: true, isWritable: false }],
    }),
  ]);
  for (let i = 0; i < keys.length; i += 1) {
    const key = keys[i]!;
    changes.push(change(original, `without account ${i}`, { keys: keys.toSpliced(i, 1) }));
    changes.push(change(original, `account ${i} twice`, { keys: keys.toSpliced(i, 0, key) }));
    if (!key.isWritable && !key.isSigner) {
      changes.push(change(original, `account ${i} writable`, { keys: keys.with(i, { ...key, isWritable: true }) }));
    }
    if (!key.isSigner) {
      changes.push(change(original, `account ${i} signs`, { keys: keys.with(i, { ...key, isSigner: true }) }));
    }
  }
  return changes;
}

function changedData(original: TransactionInstruction): Change[] {
  const { data } = original;
  return [
    change(original, 'one byte more', { data: Buffer.concat([data, Buffer.of(0)]) }),
    change(original, 'one byte less', { data: data.subarray(0, -1) }),
    change(original, 'no data', { data: Buffer.alloc(0) }),
    // Discriminators: create instead of create-idempotent, unchecked instead of checked, and all their neighbours.
    ...[0, 1, 2, 3, 4, 6, 7, 8, 9, 11, 13, 14, 15, 26, 38].map((first) =>
      change(original, `first byte ${first}`, { data: Buffer.from(data.length > 0 ? data.with(0, first) : [first]) }),
    ),
  ];
}

function changedAmounts(original: TransactionInstruction, { intent }: Scenario): Change[] {
  return amountsOf(intent).flatMap((amount) => changedAmount(original, amount));
}

function amountsOf({ action }: Scenario['intent']): bigint[] {
  if (action?.$case === 'unwrap') {
    const { amount, remainder } = action.value;
    return [amount + remainder, ...(remainder > 0n ? [remainder] : [])];
  }
  if (isMove(action)) return [action.value.amount];
  if (isLiquidity(action)) return [action.value.liquidity, ...boundsOf(action)];
  if (action?.$case !== 'transfer') throw new Error('swaps have scenarios of their own');
  return [action.value.amount, ...(action.value.fee === undefined ? [] : [action.value.fee])];
}

function changedAmount(original: TransactionInstruction, amount: bigint): Change[] {
  const at = original.data.findIndex(
    (_, i) => i + 8 <= original.data.length && original.data.readBigUInt64LE(i) === amount,
  );
  if (at < 0) return [];
  return [0n, 1n, amount - 1n, amount + 1n, amount * 10n, MAX_BASE_UNITS]
    .filter((other) => other <= MAX_BASE_UNITS && other !== amount)
    .map((other) => {
      const data = Buffer.from(original.data);
      data.writeBigUInt64LE(other, at);
      return change(original, `amount ${other} instead of ${amount}`, { data });
    });
}
