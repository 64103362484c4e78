-- Whether an agent has neither paid a recipient for as long as its cool-down, nor an owner listed it by a signature.
create or replace function is_new_recipient(agent uuid, recipient text, cool_down_hours integer, at timestamptz)
returns boolean language sql stable as $$
  select not exists (
    select from policy.recipients r where r.agent_id = agent and r.address = recipient
      and (r.trusted_at is not null or r.first_settled_at <= at - cool_down_hours * interval '1 hour'))
$$;

-- Why a payment, a trade or an addition of liquidity that every other rule allows needs an owner's approval; empty when it needs none.
create or replace function approval_reasons(
  p policies, kind spending, value_usd_micros bigint, is_new_recipient boolean
) returns text[] language sql immutable as $$
  select case
    when kind = 'payment' then
      case when value_usd_micros > p.approve_above_usd_micros then '{above_amount}'::text[] else '{}' end
        || case when is_new_recipient and p.new_recipients = 'approve' then '{new_recipient}'::text[] else '{}' end
    when kind in ('trade', 'liquidity_add') and value_usd_micros > p.approve_above_usd_micros then '{above_amount}'
    else '{}' end
$$;

-- Whether a market is among those that may be bought in: its ticker is listed, or begins with an entry up to a hyphen.
create or replace function is_listed_market(ticker text, allowed_markets jsonb) returns boolean
language sql immutable as $$
  select exists (
    select from jsonb_array_elements_text(allowed_markets) as entry
    where ticker = entry or starts_with(ticker, entry || '-'))
$$;

-- Whether a policy restricts recipients. Where it does, other ways out must not lead around it.
create or replace function restricts_recipients(p policies) returns boolean language sql immutable as $$
  select p.allowed_recipients <> '{}' or p.new_recipients <> 'allow'
$$;

-- Whether a trade brings too little for what it takes. An output without a price is taken only where the request says so,
-- and where nothing of the policy depends on its worth.
create or replace function is_unfair(p policies, loss_bps integer, max_loss_bps integer, takes_unpriced boolean)
returns boolean language sql immutable as $$
  select case
    when loss_bps is null
      then not takes_unpriced or p.max_trade_loss_bps is not null or policy.restricts_recipients(p)
    else loss_bps > least(max_loss_bps, p.max_trade_loss_bps) end
$$;

-- The value that counts of a request: where the mint that leaves has no price, that of all else, if an owner has listed
-- the mint.
create or replace function counted_value(
  p policies, value_usd_micros bigint, unpriced_mint text, other_usd_micros bigint
) returns bigint language sql immutable as $$
  select case when value_usd_micros is null and unpriced_mint = any (p.unpriced_tokens) then other_usd_micros
    else value_usd_micros end
$$;

-- The limit rule, once: the rule that a request of this value violates, in the order of the checks; null when it violates
-- none. `reserve`, the first attempt's statement in postgres-reservation-store.ts and `dry_run` all call it. Postgres
-- inlines it, so it costs no call: keep it one expression.
--
-- No limit is for money that stays the agent's own, or comes to it. A kind of spending that the rule does not know is
-- refused. An off-curve address belongs to no wallet, so it must
-- be listed by name. target: of a payment its recipient, of a trade the mint that it brings, of an addition of liquidity
-- both mints of the pool, between a space; of an escrow its order's ticker; null for an order that its maker has not
-- named. Who adds to a pool may get either token back, so both must be listed. A removal brings what is the agent's own,
-- so that only its switch and a freeze forbid it. A list that is null allows every target. used: settled in the
-- last 24 hours, and reserved by other requests. A value equal to a limit is allowed; a request without a value is not.
-- is_unverified: of a trade or a pool that brings a token that is neither known by name nor verified; under a restriction
-- of recipients, an owner must have listed it. is_unfair: of a trade or an addition of liquidity, see is_unfair.
-- is_new_recipient: false only where the recipient is known. is_approved: an owner has approved it, which lifts the last
-- rule alone. Only payments, trades and additions of liquidity can be approved.
create or replace function violated_rule(
  p policies, frozen boolean, kind spending, target text, is_off_curve boolean, value_usd_micros bigint,
  used_usd_micros bigint, is_new_recipient boolean, is_approved boolean, is_unverified boolean, is_unfair boolean
) returns text language sql immutable as $$
  select case
    when frozen then 'frozen'
    when kind in ('self', 'payout') then null
    when coalesce(kind not in ('payment', 'trade', 'escrow', 'liquidity_add', 'liquidity_remove'), true)
      then 'unknown_spending'
    when kind in ('liquidity_add', 'liquidity_remove') and not p.allow_liquidity_provision then 'liquidity_disabled'
    when kind = 'liquidity_remove' then null
    when kind = 'trade' and not p.allow_trading then 'trading_disabled'
    when kind = 'escrow' and not p.allow_prediction_markets then 'prediction_markets_disabled'
    when kind = 'trade' and not p.allowed_tokens ? coalesce(target, '') then 'token_not_allowed'
    when kind = 'liquidity_add' and not p.allowed_tokens ?& string_to_array(coalesce(target, ''), ' ')
      then 'token_not_allowed'
    when kind in ('trade', 'liquidity_add') and is_unverified and p.allowed_tokens is null and p.claimed_at is not null
      and policy.restricts_recipients(p) then 'token_not_allowed'
    when kind = 'escrow' and p.allowed_markets is not null
      and not policy.is_listed_market(coalesce(target, ''), p.allowed_markets) then 'market_not_allowed'
    when kind = 'payment' and is_off_curve and coalesce(target, '') <> all (p.allowed_recipients)
      then 'recipient_off_curve'
    when kind = 'payment' and p.allowed_recipients <> '{}' and coalesce(target, '') <> all (p.allowed_recipients)
      then 'recipient_not_allowed'
    when kind = 'payment' and p.new_recipients = 'deny' and is_new_recipient then 'new_recipient'
    when value_usd_micros is null then 'price_unavailable'
    when value_usd_micros > p.max_single_transaction_usd_micros then 'single_transaction_limit'
    when used_usd_micros + value_usd_micros > p.daily_limit_usd_micros then 'daily_limit'
    when kind in ('trade', 'liquidity_add') and is_unfair then 'trade_unfair'
    when kind = 'escrow' and value_usd_micros > p.approve_above_usd_micros then 'above_amount'
    when not is_approved and policy.approval_reasons(p, kind, value_usd_micros, is_new_recipient) <> '{}'
      then 'approval_required'
  end
$$;
