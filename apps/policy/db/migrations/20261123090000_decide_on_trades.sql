-- Trades have a switch of their own, and count to the same limits as payments.

drop function authorize(
  uuid, uuid[], integer[], integer[], bytea[], bytea[], text[], boolean[], bigint[], bigint[], boolean[],
  sponsorship_bounds, interval);
drop function foresee(uuid, text, boolean, bigint, bigint, boolean, sponsorship_bounds);
drop function broken_rule(policies, boolean, text, boolean, bigint, bigint);

-- What a request does with the agent's money: sends it away, makes another token of it, or leaves it as it is.
create type spending as enum ('payment', 'trade', 'own');

-- The rule that a request of this value breaks, in the order of the checks; null when it breaks none. No limit is for
-- money that stays the agent's own. An off-curve address belongs to no wallet, so it must be listed by name. used:
-- settled and reserved by others. A value equal to a limit is allowed; without a value nothing is.
create function broken_rule(
  p policies, frozen boolean, kind spending, recipient text, is_off_curve boolean, value_usd_micros bigint,
  used_usd_micros bigint
) returns text language plpgsql immutable as $$
begin
  if frozen then
    return 'frozen';
  end if;
  if kind = 'own' then
    return null;
  end if;
  if kind = 'trade' and not p.allow_trading then
    return 'trading_disabled';
  end if;
  if kind = 'payment' and recipient <> all (p.allowed_recipients) then
    if is_off_curve then
      return 'recipient_off_curve';
    end if;
    if cardinality(p.allowed_recipients) > 0 then
      return 'recipient_not_allowed';
    end if;
  end if;
  if value_usd_micros is null then
    return 'price_unavailable';
  end if;
  if value_usd_micros > p.max_single_transaction_usd_micros then
    return 'single_transaction_limit';
  end if;
  if used_usd_micros + value_usd_micros > p.daily_limit_usd_micros then
    return 'daily_limit';
  end if;
  return null;
end
$$;

-- Decides requests of one agent, one after the other, and reserves what it grants: with reserveIfItFits, which grants
-- only what this would, the only way to reserve. One row for each request, in order; no row when the agent has no
-- policy. verdict: granted, the rule or bound that refuses, or a conflict. A repeat of an open attempt is granted for
-- the reservation it has, if nothing is frozen and the policy in force still allows it. Changes of the policy, other
-- decisions and settlements of the agent wait for the lock, and this one for theirs; the deployment's sponsorship is
-- locked after it, by requests that need it. A unique violation means that another agent, or a request in the same
-- call, took the attempt meanwhile.
create function authorize(
  agent uuid, operation_ids uuid[], steps integer[], attempts integer[], intents bytea[], message_hashes bytea[],
  kinds spending[], recipients text[], are_off_curve boolean[], values_usd_micros bigint[], lamports bigint[],
  make_accounts boolean[], bounds sponsorship_bounds, first_check_after interval
) returns table (
  verdict text, granted_usd_micros bigint, max_single_usd_micros bigint, daily_usd_micros bigint,
  settled_usd bigint, reserved_usd bigint, window_starts_at timestamptz, window_resets_at timestamptz
) language plpgsql volatile as $$
declare
  frozen boolean;
  p policy.policies;
  known policy.reservations;
  is_known boolean;
  at timestamptz;
  prior_state policy.attempt_state;
  granted integer[] := '{}';
  agents_lamports bigint;
  agents_accounts bigint;
  all_lamports bigint;
begin
  -- Right here and not in a stable function, which would take the lock after the snapshot.
  perform from policy.freezes where agent_id in (agent, '00000000-0000-0000-0000-000000000000') for key share;
  frozen := found;
  select * into p from policy.policies where agent_id = agent for no key update;
  if not found then return; end if;
  -- Statements of their own from here on: their snapshots are younger than the lock.
  at := policy.now();
  window_starts_at := at - interval '24 hours';
  p.settled_usd_micros := p.settled_usd_micros + policy.settled_shift(agent, p.settled_since, window_starts_at);
  max_single_usd_micros := p.max_single_transaction_usd_micros;
  daily_usd_micros := p.daily_limit_usd_micros;
  settled_usd := p.settled_usd_micros;
  for i in 1 .. cardinality(operation_ids) loop
    verdict := null;
    granted_usd_micros := values_usd_micros[i];
    window_resets_at := null;
    select * into known from policy.reservations r
      where r.operation_id = operation_ids[i] and r.step = steps[i] and r.attempt = attempts[i];
    is_known := found;
    if is_known then
      granted_usd_micros := known.value_usd_micros;
      verdict := case
        when known.agent_id <> agent then 'conflict_other_agent'
        when known.message_hash <> message_hashes[i] then 'conflict_other_message'
        when known.intent <> intents[i] then 'conflict_other_intent'
        when known.state <> 'open' then 'conflict_attempt_is_over'
      end;
    elsif attempts[i] > 1 then
      select r.state into prior_state from policy.reservations r
        where r.operation_id = operation_ids[i] and r.step = steps[i] and r.attempt = attempts[i] - 1
          and r.agent_id = agent;
      if not found or prior_state not in ('failed', 'dead') then
        verdict := 'conflict_prior_attempt_may_land';
      end if;
    end if;
    if verdict is null then
      verdict := policy.broken_rule(p, frozen, kinds[i], recipients[i], are_off_curve[i], granted_usd_micros,
        p.settled_usd_micros + p.reserved_usd_micros - case when is_known then known.value_usd_micros else 0 end);
    end if;
    if verdict is null and lamports[i] > 0 and not is_known then
      if all_lamports is null then
        select * into agents_lamports, agents_accounts from policy.sponsored_for(agent, window_starts_at);
        all_lamports := policy.lock_sponsorship(window_starts_at);
      end if;
      verdict := policy.passed_bound(
        bounds, lamports[i], make_accounts[i], agents_lamports, agents_accounts, all_lamports);
    end if;
    if verdict is null then
      verdict := 'granted';
      if not is_known then
        granted := granted || i;
        p.reserved_usd_micros := p.reserved_usd_micros + granted_usd_micros;
        agents_lamports := agents_lamports + lamports[i];
        agents_accounts := agents_accounts + make_accounts[i]::integer;
        all_lamports := all_lamports + lamports[i];
      end if;
    elsif verdict = 'daily_limit' then
      window_resets_at := policy.resets_at(agent, window_starts_at);
    end if;
    reserved_usd := p.reserved_usd_micros;
    return next;
  end loop;
  if granted <> '{}' then
    insert into policy.reservations (operation_id, step, attempt, agent_id, intent, message_hash, value_usd_micros,
      created_at, next_check_at, sponsored_lamports, sponsors_account, sponsored_at)
    select t.operation_id, t.step, t.attempt, agent, t.intent, t.message_hash, t.value_usd_micros, at,
      at + first_check_after, t.lamports, t.makes_account, case when t.lamports > 0 then timestamptz 'infinity' end
    from unnest(operation_ids, steps, attempts, intents, message_hashes, values_usd_micros, lamports, make_accounts)
      with ordinality
      as t (operation_id, step, attempt, intent, message_hash, value_usd_micros, lamports, makes_account, n)
    where n = any (granted);
  end if;
  if all_lamports is not null then
    update policy.sponsorship set sponsored_lamports = all_lamports;
  end if;
  update policy.policies t set reserved_usd_micros = p.reserved_usd_micros, settled_usd_micros = p.settled_usd_micros,
    settled_since = window_starts_at
  where t.agent_id = agent;
end
$$;

-- What authorize would decide on a new operation, at this statement's snapshot, without a lock and without a trace. No
-- row when the agent has no policy.
create function foresee(
  agent uuid, kind spending, recipient text, is_off_curve boolean, value_usd_micros bigint, lamports bigint,
  makes_account boolean, bounds sponsorship_bounds
) returns table (
  verdict text, granted_usd_micros bigint, max_single_usd_micros bigint, daily_usd_micros bigint,
  settled_usd bigint, reserved_usd bigint, window_starts_at timestamptz, window_resets_at timestamptz
) language plpgsql stable as $$
declare
  frozen boolean;
  p policy.policies;
begin
  select * into p from policy.policies where agent_id = agent;
  if not found then return; end if;
  window_starts_at := policy.now() - interval '24 hours';
  settled_usd := p.settled_usd_micros + policy.settled_shift(agent, p.settled_since, window_starts_at);
  reserved_usd := p.reserved_usd_micros;
  max_single_usd_micros := p.max_single_transaction_usd_micros;
  daily_usd_micros := p.daily_limit_usd_micros;
  granted_usd_micros := value_usd_micros;
  frozen := exists (select from policy.freezes where agent_id in (agent, '00000000-0000-0000-0000-000000000000'));
  verdict := policy.broken_rule(
    p, frozen, kind, recipient, is_off_curve, value_usd_micros, settled_usd + reserved_usd);
  if verdict is null and lamports > 0 then
    select policy.passed_bound(bounds, foresee.lamports, makes_account, a.lamports, a.accounts,
        s.sponsored_lamports + policy.sponsored_shift(s.sponsored_since, window_starts_at))
      into verdict
      from policy.sponsored_for(agent, window_starts_at) a, policy.sponsorship s;
  end if;
  verdict := coalesce(verdict, 'granted');
  window_resets_at := policy.resets_at(agent, window_starts_at);
  return next;
end
$$;
