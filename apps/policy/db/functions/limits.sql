-- Whether an agent has neither paid a recipient for as long as its cool-down, nor an owner listed it by a signature.
create or replace function is_new_recipient(agent uuid, recipient text, cool_down_hours integer, at timestamptz)
returns boolean language sql stable as $$
  select not exists (
    select from policy.recipients r where r.agent_id = agent and r.address = recipient
      and (r.trusted_at is not null or r.first_settled_at <= at - cool_down_hours * interval '1 hour'))
$$;

-- Why a payment or a trade that every other rule allows needs an owner's approval; empty when it needs none.
create or replace function approval_reasons(
  p policies, kind spending, value_usd_micros bigint, is_new_recipient boolean
) returns text[] language sql immutable as $$
  select case
    when kind = 'payment' then
      case when value_usd_micros > p.approve_above_usd_micros then '{above_amount}'::text[] else '{}' end
        || case when is_new_recipient and p.new_recipients = 'approve' then '{new_recipient}'::text[] else '{}' end
    when kind = 'trade' and value_usd_micros > p.approve_above_usd_micros then '{above_amount}'
    else '{}' end
$$;

-- Whether a market is among those that may be bought in: its ticker is listed, or begins with an entry up to a hyphen.
create or replace function is_listed_market(ticker text, allowed_markets jsonb) returns boolean
language sql immutable as $$
  select exists (
    select from jsonb_array_elements_text(allowed_markets) as entry
    where ticker = entry or starts_with(ticker, entry || '-'))
$$;

-- The limit rule, once: the rule that a request of this value violates, in the order of the checks; null when it violates
-- none. `reserve`, the first attempt's statement in postgres-reservation-store.ts and `dry_run` all call it. Postgres
-- inlines it, so it costs no call: keep it one expression.
--
-- No limit is for money that stays the agent's own, or comes to it. A kind of spending that the rule does not know is
-- refused. An off-curve address belongs to no wallet, so it must
-- be listed by name. target: of a payment its recipient, of a trade the mint that it brings, of an escrow its order's
-- ticker; null for an order that its maker has not named. A list that is null allows every target. used: settled in the
-- last 24 hours, and reserved by other requests. A value equal to a limit is allowed; a request without a value is not.
-- is_new_recipient: false only where the recipient is known. is_approved: an owner has approved it, which lifts the last
-- rule alone. Only payments and trades can be approved.
create or replace function violated_rule(
  p policies, frozen boolean, kind spending, target text, is_off_curve boolean, value_usd_micros bigint,
  used_usd_micros bigint, is_new_recipient boolean, is_approved boolean
) returns text language sql immutable as $$
  select case
    when frozen then 'frozen'
    when kind in ('self', 'payout') then null
    when coalesce(kind not in ('payment', 'trade', 'escrow'), true) then 'unknown_spending'
    when kind = 'trade' and not p.allow_trading then 'trading_disabled'
    when kind = 'escrow' and not p.allow_prediction_markets then 'prediction_markets_disabled'
    when kind = 'trade' and not p.allowed_tokens ? coalesce(target, '') then 'token_not_allowed'
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
    when kind = 'escrow' and value_usd_micros > p.approve_above_usd_micros then 'above_amount'
    when not is_approved and policy.approval_reasons(p, kind, value_usd_micros, is_new_recipient) <> '{}'
      then 'approval_required'
  end
$$;
