import { newId, NIL_UUID } from '@agent-wallet/kernel';
import type { DatabaseTransaction } from '@agent-wallet/platform';
import type { PublishedRequest } from '../src/adapters/reservation-rows.js';
import { DEFAULT_POLICY } from '../src/domain/policy.js';
import { acquiredBy, ago, ownerListed, type Sample, type Spent, UNPRICED, valueOf } from './decision-samples.js';
import { request } from './store-support.js';

/** Sets up one agent as the sample says, its sums those of its rows. */
export async function setUp(tx: DatabaseTransaction, agentId: string, given: Sample): Promise<void> {
  const since = given.sumsSinceSeconds === undefined ? '-infinity' : ago(given.sumsSinceSeconds);
  const isSummed = ({ ageSeconds }: Spent) => ageSeconds < (given.sumsSinceSeconds ?? Infinity);
  const sum = (of: (spent: Spent) => bigint) =>
    given.spent.filter(isSummed).reduce((all, spent) => all + of(spent), 0n);
  const insert = `
    insert into policies (agent_id, max_single_transaction_usd_micros, daily_limit_usd_micros, allowed_recipients,
      allow_trading, allow_liquidity_provision, allow_prediction_markets, session_expiration_hours, reserved_usd_micros,
      settled_usd_micros, settled_since, new_recipients, new_recipient_cool_down_hours, approve_above_usd_micros,
      allowed_tokens, allowed_markets, claimed_at, max_trade_loss_bps, unpriced_tokens, new_recipients_since,
      owner_listed_tokens)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21)`;
  await tx.query(insert, [
    ...[agentId, given.maxSingle, given.dailyLimit, given.allowedRecipients, given.allowTrading],
    ...[given.allowLiquidityProvision, given.allowPredictionMarkets, DEFAULT_POLICY.sessionExpirationHours],
    ...[given.reserved, sum(({ valueUsdMicros }) => valueUsdMicros), since],
    ...[given.newRecipients, given.coolDownHours, given.approveAbove],
    ...[given.allowedTokens, given.allowedMarkets].map((list) => list && JSON.stringify(list)),
    ...[given.isClaimed ? ago(given.claimedSecondsAgo) : null, given.maxTradeLossBps, given.unpricedTokens],
    given.restrictedSecondsAgo === undefined ? null : ago(given.restrictedSecondsAgo),
    ownerListed(given),
  ]);
  const { recipient, paidSecondsAgo, isTrusted } = given;
  const firstSettledAt = paidSecondsAgo === undefined ? null : ago(paidSecondsAgo);
  await tx.query('insert into recipients values ($1, $2, $3, $4)', [
    ...[agentId, recipient, firstSettledAt, isTrusted ? ago(0) : null],
  ]);
  for (const { ageSeconds, valueUsdMicros, isAlike, lamports, payout } of given.spent) {
    await tx.query(
      `insert into reservations (operation_id, step, attempt, agent_id, intent, message_hash, value_usd_micros, state,
         created_at, settled_at, next_check_at, sponsored_lamports, sponsors_account, sponsored_at, payout_amount, paid_out_at, spent_as,
         target) values ($1, 1, 1, $2, '', '', $3, 'settled', $4, $4, $4, $5, $6, $7, $8, $9, $10, $11)`,
      [
        ...[newId(), agentId, valueUsdMicros, ago(ageSeconds), lamports, lamports > 0n],
        ...[lamports > 0n ? ago(ageSeconds) : null, payout > 0n ? payout : null, payout > 0n ? ago(ageSeconds) : null],
        ...(isAlike ? [given.kind, given.kind === 'payment' ? given.recipient : given.ticker] : [null, null]),
      ],
    );
  }
  await tx.query('update sponsorship set sponsored_lamports = $1, sponsored_since = $2', [
    sum(({ lamports }) => lamports),
    since,
  ]);
  await tx.query('update payouts set paid_out_amount = $1, paid_out_since = $2', [sum(({ payout }) => payout), since]);
  if (given.frozen === 'nothing') return;
  const subject = given.frozen === 'agent' ? agentId : NIL_UUID;
  await tx.query(`insert into freezes (agent_id, operator, reason, since) values ($1, 'ann', 'a test', $2)`, [
    subject,
    ago(0),
  ]);
}

/** Returns the request of a sample, as it is decided on. */
export function requestOf(agentId: string, given: Sample): PublishedRequest {
  const isTrade = given.kind === 'trade' || given.kind === 'liquidity_add';
  const isMove = given.kind === 'escrow' || given.kind === 'payout';
  const attempt = given.before === 'nothing' || given.before === 'same' || given.before === 'other message' ? 1 : 2;
  const asked = request(agentId, {
    attempt,
    kind: given.kind,
    valueUsdMicros: valueOf(given),
    recipientIsOffCurve: given.recipientIsOffCurve,
    ...(given.kind === 'payment' ? { recipient: given.recipient } : {}),
    ...{ acquiredMints: acquiredBy(given), ticker: given.ticker, isUnverified: given.isUnverified },
    ...(isTrade ? { trade: given.trade } : {}),
    ...(given.value.from === 'unpriced' && given.kind !== 'liquidity_add' ? { unpriced: UNPRICED } : {}),
    ...(isMove ? { amount: given.amount } : {}),
    ...(given.kind === 'payout' ? {} : { sponsorship: given.sponsorship }),
  });
  return { ...asked, event: { eventId: newId(), agentId, payload: Buffer.from('event') } };
}
