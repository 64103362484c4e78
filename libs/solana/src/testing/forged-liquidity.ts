import {
  AuthorityType,
  createApproveInstruction,
  createAssociatedTokenAccountIdempotentInstruction,
  createCloseAccountInstruction,
  createSetAuthorityInstruction,
  createSyncNativeInstruction,
  createTransferInstruction,
  getAssociatedTokenAddressSync,
  NATIVE_MINT,
} from '@solana/spl-token';
import { type AccountMeta, PublicKey, SystemProgram, TransactionInstruction } from '@solana/web3.js';
import { CPMM_PROGRAM, cpmmAddresses } from '../liquidity/cpmm-addresses.js';
import { boundsOf, isLiquidity, type Liquidity, OTHER_MINT, THIEF, UNKNOWN_PROGRAM } from './actors.js';
import { compile, type Forgery, honestInstructions } from './forgery.js';
import type { Scenario } from './scenarios.js';

const CLMM_PROGRAM = new PublicKey('CAMMCzo5YL8w4VFF8KVHrK22GGUsp5VTaW7grrKgrWqK');
const OTHER_METHODS = {
  'a swap': '8fbe5adac41e33de',
  'the creation of a pool': 'afaf6d1f0d989bed',
  'a deposit': 'f223c68952e1f2b6',
  'a withdrawal': 'b712469c946da122',
};

type Named<What> = readonly [name: string, what: What];

/** Messages that add or remove liquidity otherwise than their intent says. */
export function forgedLiquidity(scenario: Scenario): Forgery[] {
  const { action, wallet: address } = scenario.intent;
  if (!isLiquidity(action)) return [];
  const wallet = new PublicKey(address);
  const honest = honestInstructions(scenario);
  const at = honest.findIndex(({ programId }) => programId.toBase58() === CPMM_PROGRAM);
  const call = honest[at]!;
  const forgery = ([name, instructions]: Named<TransactionInstruction[]>): Forgery => ({
    name,
    message: compile(wallet, instructions),
  });
  const beside = besideIt(wallet, action, call);
  return [
    ...changedCalls(action, call).map(([name, other]) => forgery([name, honest.with(at, other)])),
    ...beside.map(([name, other]) => forgery([`${name} before`, honest.toSpliced(at, 0, other)])),
    ...beside.map(([name, other]) => forgery([`${name} after`, honest.toSpliced(at + 1, 0, other)])),
    ...wrappings(wallet, honest).map(([name, others]) => forgery([name, others])),
    forgery(['the accounts made for a thief', honest.map((each) => forThief(each, wallet))]),
  ].filter(({ message }) => Buffer.compare(message, compile(wallet, honest)) !== 0);
}

function withKey(call: TransactionInstruction, i: number, pubkey: PublicKey): TransactionInstruction {
  return changedCall(call, { keys: call.keys.with(i, { ...call.keys[i]!, pubkey }) });
}

function changedCall(
  { programId, keys, data }: TransactionInstruction,
  other: { programId?: PublicKey; keys?: AccountMeta[]; data?: Buffer },
): TransactionInstruction {
  return new TransactionInstruction({ programId, keys, data, ...other });
}

/** Returns the program's instruction with accounts, numbers and programs that each give something away. */
function changedCalls(action: Liquidity, call: TransactionInstruction): Named<TransactionInstruction>[] {
  const pool = action.value.pool!;
  const mints = [pool.mint0, pool.mint1] as const;
  const other = cpmmAddresses({ config: THIEF.toBase58(), mints });
  const key = (text: string) => new PublicKey(text);
  const swapped = (i: number, j: number) =>
    changedCall(call, { keys: call.keys.with(i, call.keys[j]!).with(j, call.keys[i]!) });
  const ofThief = (mint: string) => getAssociatedTokenAddressSync(key(mint), THIEF, true);
  return [
    ["liquidity tokens of a thief's account", withKey(call, 3, ofThief(call.keys[12]!.pubkey.toBase58()))],
    ["a thief's account of the first token", withKey(call, 4, ofThief(pool.mint0))],
    ["a thief's account of the second token", withKey(call, 5, ofThief(pool.mint1))],
    ['both tokens in one account', withKey(call, 5, call.keys[4]!.pubkey)],
    ['the vault in place of the own account', withKey(call, 4, call.keys[6]!.pubkey)],
    ['the pool of another config', withKey(call, 2, key(other.pool))],
    ['a pool at a free address', withKey(call, 2, UNKNOWN_PROGRAM)],
    ["another pool's first vault", withKey(call, 6, key(other.vaults[0]))],
    ["another pool's second vault", withKey(call, 7, key(other.vaults[1]))],
    ["another pool's liquidity mint", withKey(call, 12, key(other.lpMint))],
    ['another authority', withKey(call, 1, THIEF)],
    ['another owner', withKey(call, 0, THIEF)],
    ['another first mint', withKey(call, 10, OTHER_MINT.toBase58() === pool.mint0 ? THIEF : OTHER_MINT)],
    ['the vaults swapped', swapped(6, 7)],
    ['the mints swapped', swapped(10, 11)],
    ['the own accounts swapped', swapped(4, 5)],
    ['the token programs swapped', swapped(8, 9)],
    ['a remaining account', changedCall(call, { keys: [...call.keys, call.keys[4]!] })],
    ['the program of concentrated pools', changedCall(call, { programId: CLMM_PROGRAM })],
    ['a look-alike program', changedCall(call, { programId: UNKNOWN_PROGRAM })],
    ...Object.entries(OTHER_METHODS).map(([name, method]): Named<TransactionInstruction> => [
      `${name} by its method`,
      changedCall(call, { data: Buffer.concat([Buffer.from(method, 'hex'), call.data.subarray(8)]) }),
    ]),
    ...changedNumbers(action).map(([name, numbers]): Named<TransactionInstruction> => [
      name,
      changedCall(call, { data: dataOf(call, numbers) }),
    ]),
  ];
}

type Numbers = readonly [liquidity: bigint, bound0: bigint, bound1: bigint];

function changedNumbers(action: Liquidity): Named<Numbers>[] {
  const { liquidity } = action.value;
  const [bound0, bound1] = boundsOf(action);
  const most = 2n ** 64n - 1n;
  return [
    [
      'no bounds',
      [liquidity, action.$case === 'liquidityAdd' ? most : 0n, action.$case === 'liquidityAdd' ? most : 0n],
    ],
    ['no bound of the first token', [liquidity, action.$case === 'liquidityAdd' ? most : 0n, bound1]],
    ['no bound of the second token', [liquidity, bound0, action.$case === 'liquidityAdd' ? most : 0n]],
    ['bounds swapped', [liquidity, bound1, bound0]],
    ['a single liquidity token', [1n, bound0, bound1]],
    ['twice the liquidity', [2n * liquidity, bound0, bound1]],
    ['all three numbers shifted', [bound0, bound1, liquidity]],
  ];
}

function dataOf(call: TransactionInstruction, numbers: Numbers): Buffer {
  const data = Buffer.from(call.data);
  numbers.forEach((each, i) => data.writeBigUInt64LE(each, 8 + 8 * i));
  return data;
}

/** Returns instructions that a thief would like beside the honest one. */
function besideIt(wallet: PublicKey, action: Liquidity, call: TransactionInstruction): Named<TransactionInstruction>[] {
  const lpMint = call.keys[12]!.pubkey;
  const lp = getAssociatedTokenAddressSync(lpMint, wallet, true);
  const thiefs = getAssociatedTokenAddressSync(lpMint, THIEF, true);
  const swap = Buffer.concat([Buffer.from(OTHER_METHODS['a swap'], 'hex'), call.data.subarray(8, 24)]);
  const [pool, mint] = [call.keys[2]!.pubkey, new PublicKey(action.value.pool!.mint0)];
  return [
    ['the same once more', call],
    ['another method of the program', changedCall(call, { data: swap })],
    ['liquidity tokens sent to a thief', createTransferInstruction(lp, thiefs, wallet, action.value.liquidity)],
    ['liquidity tokens approved to a thief', createApproveInstruction(lp, THIEF, wallet, 2n ** 64n - 1n)],
    [
      "the owner of the liquidity tokens' account set",
      createSetAuthorityInstruction(lp, wallet, AuthorityType.AccountOwner, THIEF),
    ],
    ["the liquidity tokens' account closed", createCloseAccountInstruction(lp, THIEF, wallet)],
    [
      "a thief's account of liquidity tokens",
      createAssociatedTokenAccountIdempotentInstruction(wallet, thiefs, THIEF, lpMint),
    ],
    ['the pool paid', SystemProgram.transfer({ fromPubkey: wallet, toPubkey: pool, lamports: 1n })],
    [
      'a token given to the vault',
      createTransferInstruction(getAssociatedTokenAddressSync(mint, wallet, true), call.keys[6]!.pubkey, wallet, 1n),
    ],
  ];
}

/** Returns messages that wrap another amount of SOL, or leave it where it is not seen. */
function wrappings(wallet: PublicKey, honest: readonly TransactionInstruction[]): Named<TransactionInstruction[]>[] {
  const account = getAssociatedTokenAddressSync(NATIVE_MINT, wallet, true);
  const paying = honest.findIndex(({ programId }) => programId.equals(SystemProgram.programId));
  const last = honest.length - 1;
  const closes = honest[last]!.data.length === 1 && honest[last]!.data[0] === 9;
  const lamports = (toPubkey: PublicKey, amount: bigint) =>
    SystemProgram.transfer({ fromPubkey: wallet, toPubkey, lamports: amount });
  return [
    ...(closes
      ? ([
          ['the wrapped SOL left open', honest.slice(0, -1)],
          [
            'the wrapped SOL closed to a thief',
            honest.with(last, createCloseAccountInstruction(account, THIEF, wallet)),
          ],
          ['the wrapped SOL closed first', [...honest.slice(0, 1), honest[last]!, ...honest.slice(1, -1)]],
        ] satisfies Named<TransactionInstruction[]>[])
      : ([['wrapped SOL closed', [...honest, createCloseAccountInstruction(account, wallet, wallet)]]] satisfies Named<
          TransactionInstruction[]
        >[])),
    ...(paying < 0
      ? ([['SOL wrapped', [...honest, lamports(account, 1n), createSyncNativeInstruction(account)]]] satisfies Named<
          TransactionInstruction[]
        >[])
      : ([
          ['all SOL wrapped', honest.with(paying, lamports(account, 2n ** 62n))],
          ["the SOL to a thief's account", honest.with(paying, lamports(THIEF, 2_010_000n))],
          ['wrapped without being made known', honest.toSpliced(paying + 1, 1)],
        ] satisfies Named<TransactionInstruction[]>[])),
  ];
}

function forThief(instruction: TransactionInstruction, wallet: PublicKey): TransactionInstruction {
  const { keys, data } = instruction;
  if (keys.length !== 6 || data.length !== 1) return instruction;
  const [mint, program] = [keys[3]!.pubkey, keys[5]!.pubkey];
  const account = getAssociatedTokenAddressSync(mint, THIEF, true, program);
  return createAssociatedTokenAccountIdempotentInstruction(wallet, account, THIEF, mint, program);
}
