import { balancesResponse, tokenResponse } from '../application/responses/wallet-response.js';
import { commandOf } from './call.js';
import { WRAPPED_SOL_MINT, notFound } from '@agent-wallet/kernel';
import { z } from 'zod';
import { ADDRESS, EXPLORER_URL, ID, RECIPIENT, SIGNATURE, USDC } from './schemas/examples.js';
import { amountField, memoField, queryFlag, textField } from './schemas/fields.js';
import {
  acceptedRecord,
  financialResponse,
  transferOutcome,
  transferResult,
  unwrapOutcome,
  unwrapResult,
} from './schemas/operation-records.js';
import { defineRoute } from './route.js';
import { balancesRecord, tokenRecord } from './schemas/wallet-records.js';

const SENT =
  '"amountSent":64.1,"amountSentRaw":"64100000","fee":0,"feeRaw":"0","feeMode":"added","totalDeducted":64.1,"totalDeductedRaw":"64100000","rentLamports":0,"networkFeeLamports":5000';
const NOT_DONE =
  '"transactionId":null,"status":"dry_run","transactionStatus":"dry_run","signature":null,"explorerUrl":null';

/** The flag that turns a financial request into a dry run. */
export const dryRunField = () =>
  queryFlag(
    '`true` answers what the request would come to, and does nothing: no reservation, no signature, no record, and ' +
      'an idempotency key is ignored. A refusal by policy is then `policy.allowed: false`.',
  );

export const balancesRoute = defineRoute(
  {
    id: 'getBalances',
    method: 'GET',
    path: '/wallets/me/balances',
    auth: 'bearer',
    area: 'Wallet',
    summary: 'Balances with their value in US dollars',
    response: balancesRecord,
    errors: [],
    example: {
      response: `{"chainAddress":"${ADDRESS}","sol":{"balance":1.5,"amountRaw":"1500000000","decimals":9,"usdValue":225},"tokens":[{"mint":"${USDC}","symbol":"USDC","balance":64.1,"amountRaw":"64100000","decimals":6,"usdValue":64.1}],"totalUsdValue":289.1,"pricedAt":"2026-11-21T10:00:00.000Z"}`,
    },
  },
  async ({ caller: { agentId } }, { services: { wallet } }) => {
    return { message: 'Balances.', data: balancesResponse(await wallet.balances(agentId)) };
  },
);

export const transferRoute = defineRoute(
  {
    id: 'transfer',
    method: 'POST',
    path: '/wallets/me/actions/transfer',
    auth: 'bearer',
    area: 'Wallet',
    summary: 'Send the native coin or a token',
    notes:
      'Checked against the policy before anything is signed. `mint` is a symbol (SOL, USDC, USDT, JUP, BONK, WIF, RAY, ' +
      'ORCA) or a mint address; omitted or `SOL`, the native coin is sent. An operator’s `fee`, where there is one, is ' +
      'added to the amount when the balance covers both, and else deducted from it; a token’s own fee on transfers ' +
      'makes `amountSent` smaller. A wallet with too little SOL for the network is sponsored, within bounds. Where the ' +
      'policy wants the owner’s approval, the response is a 202 until the owner has decided.',
    query: z.strictObject({ dryRun: dryRunField() }),
    body: z
      .strictObject({
        to: textField(64, 'Wallet address of the recipient.'),
        amount: amountField(),
        mint: textField(64, 'Symbol or mint address; omit to send the native coin.').optional(),
        memo: memoField(256),
      })
      .meta({ id: 'TransferRequest' }),
    response: financialResponse('Transfer', transferResult, transferOutcome),
    accepted: acceptedRecord,
    idempotent: true,
    errors: [
      'UNKNOWN_TOKEN',
      'INVALID_ADDRESS',
      'INSUFFICIENT_FUNDS',
      'UNSAFE_TOKEN',
      'TRANSACTION_FAILED',
      'POLICY_VIOLATION',
      'APPROVAL_REJECTED',
      'APPROVAL_EXPIRED',
      'UPSTREAM_ERROR',
      'UPSTREAM_TIMEOUT',
      'TRANSACTION_EXPIRED',
    ],
    example: {
      request: `{"to":"${RECIPIENT}","amount":64.1,"mint":"USDC"}`,
      response: `{"transactionId":"${ID}","status":"confirmed","transactionStatus":"confirmed","signature":"${SIGNATURE}","explorerUrl":"${EXPLORER_URL}","amount":"64.1 USDC","amountRaw":"64100000","mint":"${USDC}",${SENT},"recipient":"${RECIPIENT}"}`,
      dryRun: `{${NOT_DONE},"amount":"64.1 USDC","amountRaw":"64100000","mint":"${USDC}",${SENT},"recipient":"${RECIPIENT}","policy":{"allowed":false,"rule":"daily_limit","limitUsd":500,"usedUsd":450,"reservedUsd":0,"remainingUsd":50,"requestedUsd":64.1,"maxAllowedNowUsd":50,"resetsAt":"2026-11-22T10:02:00.000Z","approvalRequired":false,"approvalReasons":[]},"networkFeeLamports":5000,"sponsored":false,"balanceChanges":[{"mint":null,"symbol":"SOL","decimals":9,"amountRaw":"-5000"},{"mint":"${USDC}","symbol":"USDC","decimals":6,"amountRaw":"-64100000"}]}`,
    },
  },
  (call, { runOperation, actions }) => runOperation.runOrDryRun(actions.transfer, commandOf(call)),
);

export const unwrapRoute = defineRoute(
  {
    id: 'unwrapSol',
    method: 'POST',
    path: '/wallets/me/actions/unwrap-sol',
    auth: 'bearer',
    area: 'Wallet',
    summary: 'Make SOL of wrapped SOL',
    notes: 'All of it, unless an amount is given. It stays in the wallet, so that no limit is touched.',
    query: z.strictObject({ dryRun: dryRunField() }),
    body: z
      .strictObject({ amount: amountField('Amount in SOL; omit to unwrap all.').optional() })
      .meta({ id: 'UnwrapSolRequest' })
      .optional(),
    bodyOptional: true,
    response: financialResponse('UnwrapSol', unwrapResult, unwrapOutcome),
    accepted: acceptedRecord,
    idempotent: true,
    errors: [
      'INSUFFICIENT_FUNDS',
      'TRANSACTION_FAILED',
      'POLICY_VIOLATION',
      'UPSTREAM_ERROR',
      'UPSTREAM_TIMEOUT',
      'TRANSACTION_EXPIRED',
    ],
    example: {
      request: '{"amount":0.5}',
      response: `{"transactionId":"${ID}","status":"confirmed","transactionStatus":"confirmed","signature":"${SIGNATURE}","explorerUrl":"${EXPLORER_URL}","amount":"0.5 SOL","amountRaw":"500000000","networkFeeLamports":5000}`,
      dryRun: `{${NOT_DONE},"amount":"0.5 SOL","amountRaw":"500000000","policy":{"allowed":true,"rule":null,"limitUsd":null,"usedUsd":0,"reservedUsd":0,"remainingUsd":500,"requestedUsd":0,"maxAllowedNowUsd":100,"resetsAt":null,"approvalRequired":false,"approvalReasons":[]},"networkFeeLamports":5000,"sponsored":false,"balanceChanges":[{"mint":null,"symbol":"SOL","decimals":9,"amountRaw":"499995000"},{"mint":"${WRAPPED_SOL_MINT}","symbol":"wSOL","decimals":9,"amountRaw":"-500000000"}]}`,
    },
  },
  (call, { runOperation, actions }) => runOperation.runOrDryRun(actions.unwrap, commandOf(call)),
);

/** What may name a token: the wallet service is not asked for anything else. */
const TOKEN_QUERY = /^[^\p{C}]{1,64}$/u;

export const tokenRoute = defineRoute(
  {
    id: 'getToken',
    method: 'GET',
    path: '/tokens/{query}',
    auth: 'bearer',
    area: 'Wallet',
    summary: 'What is known of a token, and what its mint lets others do',
    notes:
      'A symbol resolves by a built-in list (SOL, USDC, USDT, JUP, BONK, WIF, RAY, ORCA) or an exact verified match; ' +
      'every other token is named by its mint.',
    params: z.strictObject({ query: z.string().meta({ description: 'Symbol or mint address.' }) }),
    response: tokenRecord,
    errors: ['NOT_FOUND', 'UPSTREAM_ERROR'],
    example: {
      response: `{"mint":"${USDC}","symbol":"USDC","name":"USD Coin","decimals":6,"verified":true,"safety":{"freezeAuthority":"7dGbd2QZcCKcTndnHcTL8q7SMVXAkp688NTQYwrRCrar","mintAuthority":"BJE5MMbqXjVwjAF7oxwPYXnTXDyspzZyt4vwenNw5ruG","permanentDelegate":null,"transferHook":null,"transferFeeBps":0,"maxTransferFeeRaw":"0","unsafeExtensions":[]}}`,
    },
  },
  async ({ input: { params } }, { services: { wallet } }) => {
    const token = TOKEN_QUERY.test(params.query) ? await wallet.token(params.query) : undefined;
    if (!token) throw notFound('token', 'Use a symbol or a mint address.');
    return { message: 'Token.', data: tokenResponse(token) };
  },
);
