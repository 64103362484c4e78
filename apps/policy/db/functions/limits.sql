-- The limit rule, once: the rule that a request of this value violates, in the order of the checks; null when it violates
-- none. `reserve`, the first attempt's statement in postgres-reservation-store.ts and `dry_run` all call it. Postgres
-- inlines it, so it costs no call: keep it one expression.
--
-- No limit is for money that stays the agent's own, or comes to it. An off-curve address belongs to no wallet, so it must
-- be listed by name. used: settled in the last 24 hours, and reserved by other requests. A value equal to a limit is
-- allowed; a request without a value is not.
create or replace function violated_rule(
  p policies, frozen boolean, kind spending, recipient text, is_off_curve boolean, value_usd_micros bigint,
  used_usd_micros bigint
) returns text language sql immutable as $$
  select case
    when frozen then 'frozen'
    when kind in ('self', 'payout') then null
    when kind = 'trade' and not p.allow_trading then 'trading_disabled'
    when kind = 'escrow' and not p.allow_prediction_markets then 'prediction_markets_disabled'
    when kind = 'payment' and is_off_curve and coalesce(recipient, '') <> all (p.allowed_recipients)
      then 'recipient_off_curve'
    when kind = 'payment' and p.allowed_recipients <> '{}' and coalesce(recipient, '') <> all (p.allowed_recipients)
      then 'recipient_not_allowed'
    when value_usd_micros is null then 'price_unavailable'
    when value_usd_micros > p.max_single_transaction_usd_micros then 'single_transaction_limit'
    when used_usd_micros + value_usd_micros > p.daily_limit_usd_micros then 'daily_limit'
  end
$$;
