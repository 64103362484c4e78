-- Stores requests that were granted, but for escrows and payouts.
create or replace function store_granted(
  p policies, granted reservation_request[], at timestamptz, first_check_after interval
) returns void language sql volatile as $$
  insert into policy.reservations (operation_id, step, attempt, agent_id, intent, message_hash, value_usd_micros,
    created_at, next_check_at, sponsored_lamports, sponsors_account, sponsored_at, approval_id, side0_usd_micros, spent_as,
    target, sent_mint, sent_amount, token_id)
  select g.operation_id, g.step, g.attempt, p.agent_id, g.intent, g.message_hash,
    policy.counted_value(p, g.value_usd_micros, g.unpriced_mint, g.other_usd_micros), at, at + first_check_after,
    g.lamports, g.makes_account, case when g.lamports > 0 then timestamptz 'infinity' end, g.approval_id,
    g.side0_usd_micros, g.kind, g.target, g.sent_mint, g.sent_amount, g.token_id
  from unnest(granted) as g
$$;

-- Decides requests of one agent, one after the other, and reserves what it grants. The only other way to reserve is the
-- statement for plain first attempts in postgres-reservation-store.ts, which grants only what this would. One row for each
-- request, in order; no row when the agent has no policy. verdict: granted, the rule or bound that refuses, or a conflict.
-- A repeat of an open attempt is granted for the reservation it has, if nothing is frozen and the policy in force still
-- allows it.
--
-- Changes of the policy, other decisions and settlements of the agent wait for the lock, and this one for theirs; the
-- mailbox's moves and the deployment's sponsorship are locked after it, by requests that need it, and the sum of payouts after that. Each new
-- reservation publishes its event; one that was there before does not again. A unique violation means that another agent,
-- or a request in the same call, took the attempt meanwhile.
--
-- approval_id: of a request that an owner has been asked about; the caller has compared the approval's document with the
-- intent. With an approval that is signed by enough of the present owners and has not
-- expired, everything but the last rule must still allow the request, which then uses the approval. Otherwise the
-- verdict stays approval_required. The next attempt of an operation that was asked about needs no earlier one, if
-- nothing of the operation was ever permitted.
create or replace function reserve(
  agent uuid, requests reservation_request[], bounds operator_bounds, first_check_after interval
) returns table (
  verdict text, granted_usd_micros bigint, max_single_usd_micros bigint, daily_usd_micros bigint,
  settled_usd bigint, reserved_usd bigint, window_starts_at timestamptz, window_resets_at timestamptz, value_fits_at timestamptz,
  max_loss_bps integer, grant_detail text, grant_limit_usd bigint, grant_used_usd bigint, grant_single_usd bigint,
  grant_left_usd bigint
) language plpgsql volatile as $$
declare
  frozen boolean;
  p policy.policies;
  known policy.reservations;
  is_known boolean;
  at timestamptz;
  prior_state policy.attempt_state;
  -- Whether an earlier request of this call is of the same operation.
  is_repeated boolean;
  is_new boolean;
  is_approved boolean;
  -- What was permitted later does not count with a repeat.
  before timestamptz;
  alike_usd_micros bigint;
  q policy.reservation_request;
  -- Operations of the requests before.
  seen uuid[] := '{}';
  granted policy.reservation_request[] := '{}';
  to_publish policy.reservation_request[] := '{}';
  agents_lamports bigint;
  agents_accounts bigint;
  all_lamports bigint;
  all_payouts numeric;
begin
  -- Right here and not in a stable function, which would take the lock after the snapshot.
  perform from policy.freezes where agent_id in (agent, '00000000-0000-0000-0000-000000000000') for key share;
  frozen := found;
  select * into p from policy.policies where agent_id = agent for no key update;
  if not found then return; end if;
  -- Statements of their own from here on: their snapshots are younger than the lock.
  at := policy.now();
  window_starts_at := policy.window_start(at);
  p.settled_usd_micros := p.settled_usd_micros + policy.settled_shift(agent, p.settled_since, window_starts_at);
  max_single_usd_micros := p.max_single_transaction_usd_micros;
  daily_usd_micros := p.daily_limit_usd_micros;
  settled_usd := p.settled_usd_micros;
  -- After the policy and before the sums, as a vote takes them.
  if exists (select from unnest(requests) as r where r.approval_id is not null) then
    perform from policy.approvals a where a.id in (select r.approval_id from unnest(requests) as r) and a.agent_id = agent
      order by a.id for update;
  end if;
  if exists (select from unnest(requests) as r where r.kind in ('escrow', 'payout')) then
    perform policy.lock_treasury_moves(p);
  end if;
  if exists (select from unnest(requests) as r where r.kind = 'payout') then
    -- In the one order of locks, should another request of this call need both.
    if exists (select from unnest(requests) as r where r.lamports > 0) then perform policy.lock_sponsorship(window_starts_at); end if;
    all_payouts := policy.lock_payouts(window_starts_at);
  end if;
  foreach q in array requests loop
    verdict := null;
    granted_usd_micros := policy.counted_value(p, q.value_usd_micros, q.unpriced_mint, q.other_usd_micros);
    max_loss_bps := least(q.max_loss_bps, p.max_trade_loss_bps);
    window_resets_at := null;
    value_fits_at := null;
    grant_detail := null;
    grant_limit_usd := null;
    grant_used_usd := null;
    grant_single_usd := null;
    grant_left_usd := null;
    q.token_id := (select o.token_id from policy.token_operations o where o.operation_id = q.operation_id);
    select * into known from policy.reservations r
      where r.operation_id = q.operation_id and r.step = q.step and r.attempt = q.attempt;
    is_known := found;
    -- What was granted may be on its way: what is verified since changes nothing.
    q.is_unverified := q.is_unverified and not is_known;
    is_repeated := q.operation_id = any (seen);
    seen := seen || q.operation_id;
    if is_known then
      granted_usd_micros := known.value_usd_micros;
      verdict := case
        when known.agent_id <> agent then 'conflict_other_agent'
        when known.message_hash <> q.message_hash then 'conflict_other_message'
        when known.intent <> q.intent then 'conflict_other_intent'
        when known.state <> 'open' then 'conflict_attempt_is_over'
      end;
    elsif exists (select from policy.reservations r
      where r.operation_id = q.operation_id and r.step = q.step and r.attempt > q.attempt) then
      -- What an owner has approved goes on with its second attempt: the first must not be permitted beside it.
      verdict := 'conflict_other_message';
    elsif q.attempt > 1 then
      select r.state into prior_state from policy.reservations r
        where r.operation_id = q.operation_id and r.step = q.step and r.attempt = q.attempt - 1
          and r.agent_id = agent;
      if (found and prior_state not in ('failed', 'expired'))
        or (not found and not policy.was_only_asked_about(agent, q.operation_id)) or is_repeated then
        verdict := 'conflict_prior_attempt_may_land';
      end if;
    end if;
    if verdict is null and q.kind in ('escrow', 'payout') and not is_known then
      verdict := policy.move_conflict(agent, q.operation_id, q.kind, q.amount);
    end if;
    is_approved := false;
    if verdict is null then
      before := case when is_known then known.created_at else 'infinity' end;
      is_new := p.new_recipients <> 'allow' and policy.is_new_recipient(p, q, at, before);
      alike_usd_micros := case when p.approve_above_usd_micros is null then 0
        else policy.spent_alike(agent, q, window_starts_at, before) end;
      -- It serves one attempt after the other, and never two of one call.
      is_approved := q.approval_id is not null
        and policy.is_usable_approval(q.approval_id, agent, q.operation_id, at)
        and (is_known or not is_repeated);
      verdict := policy.violated_rule(p, frozen, q.kind, q.target, q.is_off_curve, granted_usd_micros,
        p.settled_usd_micros + p.reserved_usd_micros - case when is_known then known.value_usd_micros else 0 end,
        is_new, is_approved,
        q.is_unverified,
        -- Nor do prices that have moved.
        not is_known and policy.is_unfair(p, q.loss_bps, q.max_loss_bps, q.takes_unpriced),
        alike_usd_micros, bounds.requires_owner);
      if verdict is null and q.approval_id is not null and not is_approved then verdict := 'approval_required'; end if;
      -- It was granted without one and may be on its way: too late to ask.
      if verdict = 'approval_required' and is_known and known.approval_id is null then
        verdict := (policy.approval_reasons(p, q.kind, granted_usd_micros + alike_usd_micros, is_new))[1];
      end if;
      if q.token_id is not null then
        perform policy.move_token_window(q.token_id, window_starts_at);
        select * into verdict, grant_detail, grant_limit_usd, grant_used_usd, grant_single_usd, grant_left_usd
          from policy.token_verdict(verdict, agent, q, granted_usd_micros, at);
      end if;
    end if;
    if verdict is null and not is_known then
      verdict := policy.exceeded_treasury_moves(bounds, p, q, window_starts_at);
    end if;
    if verdict is null and q.lamports > 0 and not is_known then
      if all_lamports is null then
        -- First, so that the sums of the next statement contain what other agents of the mailbox have taken.
        all_lamports := policy.lock_sponsorship(window_starts_at);
        select * into agents_lamports, agents_accounts from policy.sponsored_for(p, window_starts_at);
      end if;
      verdict := policy.exceeded_bound(bounds, agent, q, agents_lamports, agents_accounts, all_lamports);
    end if;
    if verdict is null and q.kind = 'payout' and not is_known then
      verdict := policy.exceeded_treasury_bound(all_payouts, q.amount, bounds.payouts_per_day);
    end if;
    if verdict is null then
      verdict := 'granted';
      if not is_known and q.kind in ('escrow', 'payout') then
        update policy.payouts set has_moved = true where not has_moved;
        -- At once, so that the next request of this call is compared with it.
        insert into policy.reservations (operation_id, step, attempt, agent_id, intent, message_hash, value_usd_micros,
          created_at, next_check_at, sponsored_lamports, sponsored_at, escrowed_amount, escrowed_usd_micros,
          payout_amount, paid_out_at, spent_as, target, approval_id, token_id)
        values (q.operation_id, q.step, q.attempt, agent, q.intent, q.message_hash, granted_usd_micros,
          at, at + first_check_after, q.lamports, case when q.lamports > 0 then timestamptz 'infinity' end,
          case q.kind when 'escrow' then q.amount end, case q.kind when 'escrow' then granted_usd_micros end,
          case q.kind when 'payout' then q.amount end,
          case q.kind when 'payout' then timestamptz 'infinity' end, q.kind, q.target, q.approval_id, q.token_id);
        if q.kind = 'payout' then all_payouts := all_payouts + q.amount; end if;
      elsif not is_known then
        granted := granted || q;
        if p.approve_above_usd_micros is not null or p.new_recipients <> 'allow' or q.token_id is not null then
          -- At once, too: the next request of this call counts it.
          perform policy.store_granted(p, granted, at, first_check_after);
          granted := '{}';
        end if;
      end if;
      if not is_known then
        to_publish := to_publish || q;
        if is_approved then
          update policy.approvals set state = 'used', open_until = null where id = q.approval_id;
          perform policy.trust_as_signed(q.approval_id, at);
        end if;
        p.reserved_usd_micros := p.reserved_usd_micros + granted_usd_micros;
        agents_lamports := agents_lamports + q.lamports;
        agents_accounts := agents_accounts + q.makes_account::integer;
        all_lamports := all_lamports + q.lamports;
      end if;
    elsif verdict in ('single_transaction_limit', 'daily_limit') then
      window_resets_at := policy.resets_at(agent, window_starts_at, p.reserved_usd_micros);
      if verdict = 'daily_limit' then
        value_fits_at := policy.fits_at(agent, window_starts_at,
          p.reserved_usd_micros - case when is_known then known.value_usd_micros else 0 end,
          granted_usd_micros, daily_usd_micros);
        if value_fits_at is null then window_resets_at := null; end if;
      end if;
    end if;
    reserved_usd := p.reserved_usd_micros;
    return next;
  end loop;
  if cardinality(granted) > 0 then
    perform policy.store_granted(p, granted, at, first_check_after);
  end if;
  if cardinality(to_publish) > 0 then
    insert into policy.outbox (event_id, agent_id, payload) select e.event_id, agent, e.payload from unnest(to_publish) as e;
  end if;
  if all_lamports is not null then
    update policy.sponsorship set sponsored_lamports = all_lamports;
  end if;
  if all_payouts is not null then
    update policy.payouts set paid_out_amount = all_payouts;
  end if;
  update policy.policies t set reserved_usd_micros = p.reserved_usd_micros, settled_usd_micros = p.settled_usd_micros,
    settled_since = window_starts_at
  where t.agent_id = agent;
end
$$;
