-- What reserve would decide on a new operation, at this statement's snapshot, without a lock and without a trace. No
-- row when the agent has no policy.
create or replace function dry_run(agent uuid, request reservation_request, bounds operator_bounds) returns table (
  verdict text, granted_usd_micros bigint, max_single_usd_micros bigint, daily_usd_micros bigint,
  settled_usd bigint, reserved_usd bigint, window_starts_at timestamptz, window_resets_at timestamptz, value_fits_at timestamptz,
  max_loss_bps integer, grant_detail text, grant_limit_usd bigint, grant_used_usd bigint, grant_single_usd bigint,
  grant_left_usd bigint
) language plpgsql stable as $$
declare
  frozen boolean;
  p policy.policies;
begin
  select * into p from policy.policies where agent_id = agent;
  if not found then return; end if;
  window_starts_at := policy.window_start(policy.now());
  settled_usd := p.settled_usd_micros + policy.settled_shift(agent, p.settled_since, window_starts_at);
  reserved_usd := p.reserved_usd_micros;
  max_single_usd_micros := p.max_single_transaction_usd_micros;
  daily_usd_micros := p.daily_limit_usd_micros;
  granted_usd_micros := policy.counted_value(p, request.value_usd_micros, request.unpriced_mint, request.other_usd_micros);
  max_loss_bps := least(request.max_loss_bps, p.max_trade_loss_bps);
  frozen := exists (select from policy.freezes where agent_id in (agent, '00000000-0000-0000-0000-000000000000'));
  verdict := policy.violated_rule(
    p, frozen, request.kind, request.target, request.is_off_curve, granted_usd_micros, settled_usd + reserved_usd,
    p.new_recipients <> 'allow' and policy.is_new_recipient(p, request, policy.now(), 'infinity'), false,
    request.is_unverified,
    policy.is_unfair(p, request.loss_bps, request.max_loss_bps, request.takes_unpriced),
    case when p.approve_above_usd_micros is null then 0
      else policy.spent_alike(agent, request, window_starts_at, 'infinity') end, bounds.requires_owner);
  if request.token_id is not null then
    select * into verdict, grant_detail, grant_limit_usd, grant_used_usd, grant_single_usd, grant_left_usd
      from policy.token_verdict(verdict, agent, request, granted_usd_micros, policy.now());
  end if;
  if verdict is null then
    verdict := policy.exceeded_treasury_moves(bounds, p, request, window_starts_at);
  end if;
  if verdict is null and request.lamports > 0 then
    select policy.exceeded_bound(bounds, agent, request, a.lamports, a.accounts,
        s.sponsored_lamports + policy.sponsored_shift(s.sponsored_since, window_starts_at))
      into verdict
      from policy.sponsored_for(p, window_starts_at) a, policy.sponsorship s;
  end if;
  if verdict is null and request.kind = 'payout' then
    select policy.exceeded_treasury_bound(
        s.paid_out_amount + policy.paid_out_shift(s.paid_out_since, window_starts_at), request.amount, bounds.payouts_per_day)
      into verdict from policy.payouts s;
  end if;
  verdict := coalesce(verdict, 'granted');
  window_resets_at := policy.resets_at(agent, window_starts_at, reserved_usd);
  if verdict = 'daily_limit' then
    value_fits_at := policy.fits_at(agent, window_starts_at, reserved_usd, granted_usd_micros, daily_usd_micros);
    if value_fits_at is null then window_resets_at := null; end if;
  end if;
  return next;
end
$$;
