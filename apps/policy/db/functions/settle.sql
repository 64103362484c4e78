-- Ends open attempts of one agent with outcomes that were read from the chain: settled, failed or expired. The first
-- outcome stays. Returns one row for each, in order: the state of the attempt. A sponsor has paid for a failed attempt,
-- too. A settled payout reduces what the escrow of its operation counts. Once both are settled, in either order, the
-- payout itself no longer counts. Each outcome that is written publishes its event.
-- A settled attempt counts for 24 hours from landing. Its landing time is never before its permit, regardless of the
-- block time that a node reports; see counts_from. recipients: of payments, whose settlement makes them known.
create or replace function settle(
  agent uuid, operation_ids uuid[], steps integer[], attempts integer[], outcomes text[],
  landed_times timestamptz[], event_ids uuid[], payloads bytea[], recipients text[]
) returns table (final_state text) language plpgsql volatile as $$
declare
  p policy.policies;
  at timestamptz;
  window_start timestamptz;
  amount bigint;
  lamports bigint;
  payout bigint;
  escrow bigint;
  landed_at timestamptz;
  less record;
  paid integer[] := '{}';
  to_publish integer[] := '{}';
  settled_moves uuid[] := '{}';
begin
  select * into p from policy.policies where agent_id = agent for no key update;
  if not found then return; end if;
  at := policy.now();
  window_start := at - interval '24 hours';
  p.settled_usd_micros := p.settled_usd_micros + policy.settled_shift(agent, p.settled_since, window_start);
  for i in 1 .. cardinality(operation_ids) loop
    final_state := outcomes[i];
    update policy.reservations r
      set state = outcomes[i]::policy.attempt_state,
        settled_at = case outcomes[i] when 'settled'
          then least(at, greatest(r.created_at, policy.counts_from(landed_times[i], at))) end,
        message = null, signature = null
      where r.operation_id = operation_ids[i] and r.step = steps[i] and r.attempt = attempts[i]
        and r.agent_id = agent and r.state = 'open'
      returning r.value_usd_micros, r.sponsored_lamports, r.payout_amount, r.escrowed_amount, r.settled_at
        into amount, lamports, payout, escrow, landed_at;
    if found then
      to_publish := to_publish || i;
      p.reserved_usd_micros := p.reserved_usd_micros - amount;
      if landed_at > window_start then p.settled_usd_micros := p.settled_usd_micros + amount; end if;
      if outcomes[i] = 'settled' and recipients[i] is not null then
        insert into policy.recipients as known (agent_id, address, first_settled_at)
        values (agent, recipients[i], landed_at)
        on conflict (agent_id, address) do update set first_settled_at = excluded.first_settled_at
          where known.first_settled_at is null;
      end if;
      if lamports > 0 then
        -- The sum is at this window first, so that the row is in it before and, unless released, after.
        perform policy.lock_sponsorship(window_start);
        update policy.reservations r set sponsored_at = case when outcomes[i] <> 'expired' then at end
          where r.operation_id = operation_ids[i] and r.step = steps[i] and r.attempt = attempts[i];
        if outcomes[i] = 'expired' then
          update policy.sponsorship s set sponsored_lamports = s.sponsored_lamports - lamports;
        end if;
      end if;
      if payout is not null then paid := paid || i; end if;
      if payout is not null and outcomes[i] = 'settled' then
        select * into less from policy.reduce_reservation(agent, operation_ids[i], window_start);
        p.reserved_usd_micros := p.reserved_usd_micros - less.less_reserved;
        p.settled_usd_micros := p.settled_usd_micros - less.less_settled;
      end if;
      if coalesce(payout, escrow) is not null and outcomes[i] = 'settled' then
        settled_moves := settled_moves || operation_ids[i];
      end if;
    else
      select r.state::text into final_state from policy.reservations r
        where r.operation_id = operation_ids[i] and r.step = steps[i] and r.attempt = attempts[i]
          and r.agent_id = agent;
    end if;
    return next;
  end loop;
  if paid <> '{}' then
    -- As with sponsorship: the sum is at this window first. It is locked after that of sponsorship, here as in reserve.
    perform policy.lock_payouts(window_start);
    with ended as (
      update policy.reservations r set paid_out_at = case when r.state = 'settled' then at end
      from unnest(paid) as n
      where r.operation_id = operation_ids[n] and r.step = steps[n] and r.attempt = attempts[n]
      returning case when r.state = 'settled' then 0 else r.payout_amount end as released)
    update policy.payouts s
      set paid_out_amount = s.paid_out_amount - (select sum(released) from ended)::bigint;
  end if;
  if settled_moves <> '{}' then perform policy.cover_payouts(agent, settled_moves, window_start); end if;
  insert into policy.outbox (event_id, agent_id, payload)
  select event_ids[n], agent, payloads[n] from unnest(to_publish) as n;
  update policy.policies t set reserved_usd_micros = p.reserved_usd_micros, settled_usd_micros = p.settled_usd_micros,
    settled_since = window_start
  where t.agent_id = agent;
end
$$;

-- As the release before calls it: no recipient becomes known.
create or replace function settle(
  agent uuid, operation_ids uuid[], steps integer[], attempts integer[], outcomes text[],
  landed_times timestamptz[], event_ids uuid[], payloads bytea[]
) returns table (final_state text) language sql volatile as $$
  select * from policy.settle(
    agent, operation_ids, steps, attempts, outcomes, landed_times, event_ids, payloads, '{}'::text[])
$$;
