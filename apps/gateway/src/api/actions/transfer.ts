import { walletV1 } from '@agent-wallet/contracts';
import { formatAmount } from '@agent-wallet/kernel';
import { z } from 'zod';
import { orNull } from '../../application/responses/cents.js';
import { amountNumber, integerNumber } from '../../application/responses/exact-json.js';
import { chainMetadata, nullable } from '../history/outcome.js';
import { emptyMessage, mintOf, textOrNull } from '../history/transaction-kind.js';
import { composed } from '../schemas/composed.js';
import { RECIPIENT, USDC } from '../schemas/examples.js';
import { amountFields, amountOf, memoField, oneAmount, textField } from '../schemas/fields.js';
import { address, amountText, baseUnits, lamports, tokenAmount } from '../schemas/units.js';
import { APPROVAL_ERRORS, defineAction } from './define-action.js';
import { networkFee } from './outcome-records.js';

const feeMode = z.enum(['added', 'deducted']);

/** Money of the native coin or of a token to a recipient (specification 2.2). */
export const transfer = defineAction({
  action: 'transfer',
  component: 'Transfer',
  service: 'wallet',
  route: {
    id: 'transfer',
    path: '/wallets/me/actions/transfer',
    scope: 'transfer',
    area: 'Wallet',
    summary: 'Send the native coin or a token',
    notes:
      'Checked against the policy before anything is signed. `mint` is a symbol (SOL, USDC, USDT, JUP, BONK, WIF, RAY, ' +
      'ORCA) or a mint address; omitted, null or `SOL`, the native coin is sent. An operator’s `fee`, where there is one, is ' +
      'added to the amount when the balance covers both, and else deducted from it; a token’s own fee on transfers ' +
      'makes `amountSent` smaller. A wallet with too little SOL for the network is sponsored, within bounds. Where the ' +
      'policy wants the owner’s approval, nothing is sent until the owner has decided.',
  },
  errors: [
    'UNKNOWN_TOKEN',
    'INVALID_ADDRESS',
    'INSUFFICIENT_FUNDS',
    'UNSAFE_TOKEN',
    'TRANSACTION_FAILED',
    ...APPROVAL_ERRORS,
  ],
  body: oneAmount(
    z.strictObject({
      to: textField(64, 'Wallet address of the recipient.'),
      ...amountFields(),
      mint: textField(64, '')
        .nullish()
        .meta({ description: 'Symbol or mint address; omit it or send null for the native coin.' }),
      memo: memoField(256),
    }),
  ),
  terms: [
    z
      .strictObject({
        amount: amountText('The amount that was asked for.'),
        amountRaw: baseUnits(),
        mint: address().nullable().meta({ description: 'Null for the native coin.' }),
        amountSent: tokenAmount('What the recipient got.'),
        amountSentRaw: baseUnits(),
        fee: tokenAmount("The operator's fee."),
        feeRaw: baseUnits(),
        feeMode: feeMode.meta({ description: '`deducted`: taken from the amount.' }),
        totalDeducted: tokenAmount('What left the wallet in this token, network fee and rent apart.'),
        totalDeductedRaw: baseUnits(),
        rentLamports: lamports("Rent for the recipient's new account; it counts toward the limits. 0 for none."),
        networkFeeLamports: networkFee(),
        recipient: address(),
      })
      .meta({ id: 'TransferTerms' }),
  ],
  message: 'Transfer confirmed.',

  toRequest: ({ agentId, input: { to, mint, memo = '', ...given } }) => ({
    agentId,
    to,
    mint: mint ?? '',
    memo,
    ...amountOf(given),
  }),
  perform: ({ wallet }, request, deadlineMs) => wallet.transfer(request, deadlineMs),
  async dryRun({ wallet }, request) {
    const { transfer: reply, dryRun } = await wallet.dryRunTransfer(request);
    return { reply, dryRun };
  },
  metadata: composed('TransferMetadata', [chainMetadata], {
    amountSent: nullable(tokenAmount(), 'What the recipient got.'),
    amountSentRaw: nullable(baseUnits()),
    fee: nullable(tokenAmount(), "The operator's fee."),
    feeRaw: nullable(baseUnits()),
    feeMode: nullable(feeMode),
    rentLamports: nullable(lamports(), "Rent for the recipient's new account."),
    sponsored: z.boolean().meta({ description: 'Whether the operator paid network fee and rent.' }),
    memo: nullable(z.string()),
  }),
  facts: 'transfer',
  show({ amount, ...facts }) {
    const { symbol, decimals } = facts;
    const isKnown = amount !== undefined;
    const inUnits = (units: bigint) => (isKnown ? amountNumber(units, decimals) : null);
    const raw = (units: bigint) => (isKnown ? units.toString() : null);
    return {
      amount: isKnown ? `${formatAmount(amount, decimals)} ${symbol}` : null,
      amountRaw: orNull(amount, String),
      mint: textOrNull(facts.mint),
      amountSent: inUnits(facts.amountSent),
      amountSentRaw: raw(facts.amountSent),
      fee: inUnits(facts.fee),
      feeRaw: raw(facts.fee),
      feeMode: isKnown ? (facts.feeDeducted ? 'deducted' : 'added') : null,
      totalDeducted: inUnits(facts.totalDeducted),
      totalDeductedRaw: raw(facts.totalDeducted),
      rentLamports: isKnown ? integerNumber(facts.rentLamports) : null,
      recipient: facts.recipient,
      sponsored: facts.sponsored,
      memo: textOrNull(facts.memo),
    };
  },
  mint: ({ mint }) => mintOf(mint),
  requested: ({ mint, amount, amountRaw, to, memo = '' }) => ({
    ...{ asset: mint ?? 'SOL', amount, amountRaw, to },
    facts: { ...emptyMessage(walletV1.TransferFacts), recipient: to, memo },
  }),

  example: {
    request: { to: RECIPIENT, amount: 64.1, mint: 'USDC' },
    terms: {
      amount: '64.1 USDC',
      amountRaw: '64100000',
      mint: USDC,
      amountSent: 64.1,
      amountSentRaw: '64100000',
      fee: 0,
      feeRaw: '0',
      feeMode: 'added',
      totalDeducted: 64.1,
      totalDeductedRaw: '64100000',
      rentLamports: 0,
      networkFeeLamports: 5_000,
      recipient: RECIPIENT,
    },
    dryRun: {
      policy: {
        allowed: false,
        rule: 'daily_limit',
        limitUsd: 500,
        usedUsd: 450,
        remainingUsd: 50,
        requestedUsd: 64.1,
        maxAllowedNowUsd: 50,
        maxAmountNow: 50,
        maxAmountNowRaw: '50000000',
        resetsAt: '2026-11-22T10:02:00.000Z',
      },
      balanceChanges: [
        { mint: null, symbol: 'SOL', decimals: 9, amountRaw: '-5000' },
        { mint: USDC, symbol: 'USDC', decimals: 6, amountRaw: '-64100000' },
      ],
    },
  },
});
