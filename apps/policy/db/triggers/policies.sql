-- Reservations set none of these columns, so that the trigger costs them nothing.
create trigger claimed_policies_change_with_their_version before update of max_single_transaction_usd_micros,
  daily_limit_usd_micros, allowed_recipients, allow_trading, allow_liquidity_provision, allow_prediction_markets,
  session_expiration_hours, approval_lifetime_hours, new_recipients, new_recipient_cool_down_hours,
  approve_above_usd_micros, allowed_tokens, allowed_markets, max_trade_loss_bps, unpriced_tokens, allow_mail_login
  on policies
  for each row when (old.claimed_at is not null and new.version = old.version)
  execute function require_new_version();
alter table policies enable always trigger claimed_policies_change_with_their_version;
