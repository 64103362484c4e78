-- Since when payments make recipients known: the claim, or the moment since which new recipients are not allowed, if that
-- is later. Who has the token can pay any address before.
create or replace function known_since(p policies) returns timestamptz language sql immutable as $$
  select coalesce(greatest(p.claimed_at, p.new_recipients_since), timestamptz '-infinity')
$$;

-- Sums what an agent sent to the recipient of a payment in the window, and what is open, in base units of the same token. See
-- spent_alike.
create or replace function sent_alike(
  agent uuid, asked reservation_request, window_starts_at timestamptz, before timestamptz
) returns numeric language sql stable as $$
  select coalesce(sum(r.sent_amount), 0) from policy.reservations r
  where r.agent_id = agent and (r.state = 'open' or (r.state = 'settled' and r.settled_at > window_starts_at))
    and r.spent_as = 'payment' and r.target = (asked).target and r.sent_mint = (asked).sent_mint
    and r.operation_id is distinct from (asked).operation_id and r.created_at < before
$$;

-- Whether the recipient of a payment is not known. Known is: whom an owner's signature has listed. After the cool-down also
-- whom a payment was settled to since known_since, and whom a signed approval trusts: always, or as long as what is sent to it in
-- 24 hours, with this, is at most the signed amount of the same token. before: see spent_alike.
create or replace function is_new_recipient(
  p policies, asked reservation_request, at timestamptz, before timestamptz
) returns boolean language sql stable as $$
  select not exists (
    select from policy.recipients r,
      lateral (select at - p.new_recipient_cool_down_hours * interval '1 hour') as c (cooled_at)
    where r.agent_id = p.agent_id and r.address = (asked).target and (
      r.trusted_at is not null
      or (r.first_settled_at > policy.known_since(p) and r.first_settled_at <= cooled_at)
      or (r.signed_at <= cooled_at and case r.trust
        when 'always' then true
        when 'daily_amount' then r.trusted_mint = (asked).sent_mint and (asked).sent_amount
          + policy.sent_alike(p.agent_id, asked, policy.window_start(at), before) <= r.trusted_amount end)))
$$;

-- The value of what is like a request and counts with it to approve_above_usd_micros: settled in the window, or open. Of a
-- payment all to the same recipient, of an escrow all for the same market, and every trade and addition of liquidity
-- together, so that several small ones are as one. Neither the operation itself counts, nor what was permitted later than
-- `before`, the time of a repeated request: it was granted without these.
create or replace function spent_alike(
  agent uuid, asked reservation_request, window_starts_at timestamptz, before timestamptz
) returns bigint language sql stable as $$
  select coalesce(sum(r.value_usd_micros), 0)::bigint from policy.reservations r
  where r.agent_id = agent and (r.state = 'open' or (r.state = 'settled' and r.settled_at > window_starts_at))
    and case when (asked).kind in ('trade', 'liquidity_add') then r.spent_as in ('trade', 'liquidity_add')
      else r.spent_as = (asked).kind and r.target is not distinct from (asked).target end
    and r.operation_id is distinct from (asked).operation_id and r.created_at < before
$$;

-- Why a payment, a trade, a buy or an addition of liquidity that every other rule allows needs an owner's approval; empty when
-- it needs none.
-- value_usd_micros: with what is alike, see spent_alike.
create or replace function approval_reasons(
  p policies, kind spending, value_usd_micros bigint, is_new_recipient boolean
) returns text[] language sql immutable as $$
  select case
    when kind = 'payment' then
      case when value_usd_micros > p.approve_above_usd_micros then '{above_amount}'::text[] else '{}' end
        || case when is_new_recipient and p.new_recipients = 'approve' then '{new_recipient}'::text[] else '{}' end
    when kind in ('trade', 'escrow', 'liquidity_add') and value_usd_micros > p.approve_above_usd_micros
      then '{above_amount}'
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
-- refused. An off-curve address belongs to no wallet, so it must be listed by name.
--
-- target: of a payment its recipient, of a trade the mint that it brings, of an addition of liquidity both mints of the
-- pool, between a space; of an escrow its order's ticker. Who adds to a pool may get either token back, so both must be
-- listed. A removal brings what is the agent's own, so that only its switch and a freeze forbid it. A list that is null
-- allows every target.
-- used: settled in the last 24 hours, and reserved by other requests. A value equal to a limit is allowed; a request
-- without a value is not.
-- is_unverified: of a trade or a pool that brings a token that is neither known by name nor verified; under a restriction
-- of recipients, an owner's signature must have listed it: what the agent lists by itself opens nothing. is_unfair: of a trade or an addition of liquidity, see is_unfair.
-- is_new_recipient: false only where the recipient is known. alike_usd_micros: see spent_alike, 0 where
-- approve_above_usd_micros is null.
-- is_approved: an owner has approved it, which lifts the last rule alone. Only payments, trades, buys and additions of
-- liquidity can be approved.
-- requires_owner: whether an agent without an owner only reads and receives, as the service's setting says.
create or replace function violated_rule(
  p policies, frozen boolean, kind spending, target text, is_off_curve boolean, value_usd_micros bigint,
  used_usd_micros bigint, is_new_recipient boolean, is_approved boolean, is_unverified boolean, is_unfair boolean,
  alike_usd_micros bigint, requires_owner boolean
) returns text language sql immutable as $$
  select case
    when frozen then 'frozen'
    when kind in ('self', 'payout') then null
    when coalesce(kind not in ('payment', 'trade', 'escrow', 'liquidity_add', 'liquidity_remove'), true)
      then 'unknown_spending'
    when requires_owner and p.claimed_at is null and kind <> 'liquidity_remove' then 'owner_required'
    when kind in ('liquidity_add', 'liquidity_remove') and not p.allow_liquidity_provision then 'liquidity_disabled'
    when kind = 'liquidity_remove' then null
    when kind = 'trade' and not p.allow_trading then 'trading_disabled'
    when kind = 'escrow' and not p.allow_prediction_markets then 'prediction_markets_disabled'
    when kind = 'trade' and not p.allowed_tokens ? coalesce(target, '') then 'token_not_allowed'
    when kind = 'liquidity_add' and not p.allowed_tokens ?& string_to_array(coalesce(target, ''), ' ')
      then 'token_not_allowed'
    when kind in ('trade', 'liquidity_add') and is_unverified and p.claimed_at is not null
      and policy.restricts_recipients(p) and not p.owner_listed_tokens @> string_to_array(coalesce(target, ''), ' ')
      then 'token_not_allowed'
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
    when not is_approved
      and policy.approval_reasons(p, kind, value_usd_micros + alike_usd_micros, is_new_recipient) <> '{}'
      then 'approval_required'
  end
$$;
