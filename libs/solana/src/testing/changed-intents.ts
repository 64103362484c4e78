import type { intentV1 } from '@agent-wallet/contracts';
import { associatedTokenAddress } from '../addresses/associated-token-address.js';
import { SOL_DECIMALS } from '@agent-wallet/kernel';
import { MEMO_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../addresses/programs.js';
import { FEE_WALLET, isLiquidity, isMove, MINT, type Move, OTHER_MINT, SPONSOR, THIEF } from './actors.js';
import { type ChangedIntent, changedLiquidity } from './changed-liquidity.js';
import type { Scenario } from './scenarios.js';

/** Names a change by its fields and their values. */
function nameOf(change: object): string {
  return Object.entries(change)
    .map(([field, value]) => `${field} ${value}`)
    .join(', ');
}

/** Intents that say something else than a scenario's message does, or nothing sensible. */
export function changedIntents({ intent }: Scenario): ChangedIntent[] {
  const { action } = intent;
  const changed: ChangedIntent[] = [
    { name: 'no action', intent: { ...intent, action: undefined } },
    { name: 'no wallet', intent: { ...intent, wallet: '' } },
    { name: 'another wallet', intent: { ...intent, wallet: THIEF.toBase58() } },
    ...changesOfSponsor(intent).map((change) => ({ name: nameOf(change), intent: { ...intent, ...change } })),
  ];
  if (action?.$case === 'transfer') {
    for (const change of [...changesOfTransfer(action.value), ...changesOfFee(intent, action.value)]) {
      const value = { ...action.value, ...change };
      changed.push({ name: nameOf(change), intent: { ...intent, action: { $case: 'transfer', value } } });
    }
  }
  if (action?.$case === 'unwrap') {
    for (const change of changesOfUnwrap(action.value)) {
      const value = { ...action.value, ...change };
      changed.push({ name: nameOf(change), intent: { ...intent, action: { $case: 'unwrap', value } } });
    }
  }
  if (isMove(action)) changed.push(...changedMoves(intent, action));
  if (isLiquidity(action)) changed.push(...changedLiquidity(intent, action));
  return [...changed, otherAction(intent)];
}

function changesOfTransfer(transfer: intentV1.Transfer): Partial<intentV1.Transfer>[] {
  return [
    { recipient: THIEF.toBase58() },
    { recipient: '' },
    { amount: 1n },
    { amount: 0n },
    { amount: -transfer.amount },
    { amount: 2n ** 64n },
    { decimals: transfer.decimals + 1 },
    { decimals: -1 },
    { mint: OTHER_MINT.toBase58() },
    { mint: 'not an address' },
    { tokenProgram: THIEF.toBase58() },
    { memo: 'another memo' },
    { createsRecipientAccount: !transfer.createsRecipientAccount },
  ];
}

function changesOfFee(intent: intentV1.Intent, { amount, fee }: intentV1.Transfer): Partial<intentV1.Transfer>[] {
  const feeRecipient = FEE_WALLET.toBase58();
  const incomplete =
    fee === undefined ? [{ fee: 1n }, { feeRecipient }] : [{ fee: undefined }, { feeRecipient: undefined }];
  return [
    ...incomplete,
    ...(fee === undefined ? [] : [{ fee: undefined, feeRecipient: undefined }, { fee: fee + 1n }, { fee: fee - 1n }]),
    { fee: 2n, feeRecipient },
    { fee: 0n, feeRecipient },
    { fee: -1n, feeRecipient },
    { fee: 2n ** 64n - amount, feeRecipient },
    { fee: fee ?? 1n, feeRecipient: THIEF.toBase58() },
    { fee: fee ?? 1n, feeRecipient: intent.wallet },
    { fee: fee ?? 1n, feeRecipient: '' },
  ];
}

function changesOfUnwrap({ amount, remainder }: intentV1.Unwrap): Partial<intentV1.Unwrap>[] {
  return [
    { amount: 0n },
    { amount: -1n },
    { amount: 2n ** 64n - remainder },
    { remainder: remainder + 1n },
    { remainder: remainder === 0n ? 300_000_000n : 0n },
    { remainder: -1n },
    { remainder: 2n ** 64n - amount },
  ];
}

function changedMoves(intent: intentV1.Intent, action: Move): ChangedIntent[] {
  const { $case, value } = action;
  const changedBy = (other: Partial<intentV1.Payout>): ChangedIntent => {
    const all = { createsRecipientAccount: false, ...value, ...other };
    return { name: nameOf(other), intent: { ...intent, action: { $case, value: all } } };
  };
  const asOther: Move =
    $case === 'escrow'
      ? { $case: 'payout', value: { ...value, createsRecipientAccount: false } }
      : { $case: 'escrow', value };
  return [
    ...changesOfMove(intent, value).map(changedBy),
    ...($case === 'escrow' && action.value.order ? changedOrders(intent, action.value) : []),
    ...($case === 'payout' ? [changedBy({ createsRecipientAccount: !action.value.createsRecipientAccount })] : []),
    { name: 'the other way', intent: { ...intent, action: asOther } },
    {
      name: 'wallet and treasury in each other’s place',
      intent: {
        ...intent,
        wallet: value.treasury,
        action: { $case, value: { ...action.value, treasury: intent.wallet } } as Move,
      },
    },
  ];
}

/** Changes the cost of an order, the only part of it that the message shows. */
function changedOrders(intent: intentV1.Intent, { order, ...escrow }: intentV1.Escrow): ChangedIntent[] {
  return [escrow.amount + 1n, escrow.amount - 1n, 0n].map((maxCostUsdMicros) => ({
    name: `an order of ${maxCostUsdMicros}`,
    intent: { ...intent, action: { $case: 'escrow', value: { ...escrow, order: { ...order!, maxCostUsdMicros } } } },
  }));
}

function changesOfMove({ wallet }: intentV1.Intent, { amount, decimals }: intentV1.Escrow): Partial<intentV1.Escrow>[] {
  return [
    ...[THIEF.toBase58(), SPONSOR.toBase58(), wallet, MEMO_PROGRAM, 'not an address', ''].map((treasury) => ({
      treasury,
    })),
    ...[OTHER_MINT.toBase58(), 'not an address', ''].map((mint) => ({ mint })),
    { mint: '', tokenProgram: '', decimals: SOL_DECIMALS },
    ...[TOKEN_2022_PROGRAM, THIEF.toBase58(), ''].map((tokenProgram) => ({ tokenProgram })),
    ...[decimals + 1, decimals - 1, -1, 256].map((other) => ({ decimals: other })),
    ...[1n, 0n, -amount, amount + 1n, amount - 1n, 2n ** 64n].map((other) => ({ amount: other })),
  ];
}

type Sponsorship = Pick<intentV1.Intent, 'sponsor' | 'maxNetworkFeeLamports'>;

/** Changes the sponsor: an intent without one asks for one; an intent with one asks for another, or for none. */
function changesOfSponsor({ wallet, sponsor, action }: intentV1.Intent): Sponsorship[] {
  const maxNetworkFeeLamports = 10_010n;
  const mint = MINT.toBase58();
  const others = [
    THIEF.toBase58(),
    wallet,
    ...(isMove(action) ? [action.value.treasury, mint] : []),
    ...(action?.$case === 'transfer' ? [action.value.recipient, FEE_WALLET.toBase58(), mint] : []),
    associatedTokenAddress({ owner: wallet, mint, tokenProgram: TOKEN_PROGRAM }),
    MEMO_PROGRAM,
    'not an address',
    '',
  ].map((other) => ({ sponsor: other, maxNetworkFeeLamports }));
  if (sponsor === undefined) {
    return [...others, { sponsor: SPONSOR.toBase58(), maxNetworkFeeLamports }, { maxNetworkFeeLamports }];
  }
  return [
    ...others,
    { sponsor: undefined, maxNetworkFeeLamports: undefined },
    { sponsor: undefined },
    { maxNetworkFeeLamports: undefined },
    { maxNetworkFeeLamports: 9_999n },
    { maxNetworkFeeLamports: 0n },
    { maxNetworkFeeLamports: -1n },
  ];
}

function otherAction(intent: intentV1.Intent): ChangedIntent {
  if (intent.action?.$case === 'transfer') {
    const action = { $case: 'unwrap' as const, value: { amount: intent.action.value.amount, remainder: 0n } };
    return { name: 'an unwrap instead', intent: { ...intent, action } };
  }
  const value: intentV1.Transfer = {
    recipient: THIEF.toBase58(),
    mint: '',
    tokenProgram: '',
    amount: 1n,
    decimals: 9,
    createsRecipientAccount: false,
    memo: '',
  };
  return { name: 'a transfer instead', intent: { ...intent, action: { $case: 'transfer', value } } };
}
