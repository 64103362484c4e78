-- A refund takes nothing of the treasury's day once the escrow that it gives back has landed, too: the treasury is as it
-- was before both. Else one agent's refunds would take the day of all.

-- A constant default: nothing is rewritten.
alter table reservations
  -- Of a settled payout: whether settled escrows of its operation brought as much. It stays what it is for recovery, which
  -- knows payouts by paid_out_at, and counts no more.
  add column payout_covered boolean not null default false;

-- How much the sum of payouts changes when its start moves: less what leaves it, plus what comes back.
create or replace function paid_out_shift(old_start timestamptz, new_start timestamptz) returns bigint
language sql stable as $$
  select coalesce(sum(case when new_start > old_start then -payout_amount else payout_amount end), 0)::bigint
  from policy.reservations
  where paid_out_at > least(old_start, new_start) and paid_out_at <= greatest(old_start, new_start)
    and not payout_covered
$$;

-- Takes the settled payouts of operations off the sum of payouts, each once, where settled escrows of the same operation
-- brought at least as much as all of them paid. What has left the window is not in the sum any more. Whoever calls holds
-- the lock of the agent's policy; the sum is locked last, and only where something changes.
create function cover_payouts(agent uuid, operations uuid[], window_start timestamptz) returns void
language plpgsql volatile as $$
declare
  covered uuid[];
begin
  select array_agg(o.operation_id) into covered from (
    select r.operation_id from policy.reservations r
    where r.operation_id = any (operations) and r.agent_id = agent and r.state = 'settled'
    group by r.operation_id
    having count(r.payout_amount) filter (where not r.payout_covered) > 0
      and sum(r.payout_amount) <= sum(r.escrowed_amount)) as o;
  if covered is null then return; end if;
  perform policy.lock_payouts(window_start);
  with taken_off as (
    update policy.reservations r set payout_covered = true
    where r.operation_id = any (covered) and r.agent_id = agent and r.state = 'settled'
      and r.payout_amount is not null and not r.payout_covered
    returning case when r.paid_out_at > window_start then r.payout_amount else 0 end as amount)
  update policy.payouts s set paid_out_amount = s.paid_out_amount - (select sum(amount) from taken_off)::bigint;
end
$$;

-- Ends open attempts of one agent with outcomes that were read from the chain: settled, failed or dead. The first
-- outcome stays. One row for each, in order: the state the attempt is in. A sponsor has paid for what failed, too. A
-- payout that is settled takes its share off what counts of the same operation's escrow; once both are settled, in
-- whichever order, the payout counts no more itself. Each outcome that is written is told by its event.
create or replace function conclude(
  agent uuid, operation_ids uuid[], steps integer[], attempts integer[], outcomes text[], event_ids uuid[],
  payloads bytea[]
) returns table (final_state text) language plpgsql volatile as $$
declare
  p policy.policies;
  at timestamptz;
  window_start timestamptz;
  amount bigint;
  lamports bigint;
  payout bigint;
  escrow bigint;
  less record;
  paid integer[] := '{}';
  told integer[] := '{}';
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
      set state = outcomes[i]::policy.attempt_state, settled_at = case outcomes[i] when 'settled' then at end,
        message = null, signature = null
      where r.operation_id = operation_ids[i] and r.step = steps[i] and r.attempt = attempts[i]
        and r.agent_id = agent and r.state = 'open'
      returning r.value_usd_micros, r.sponsored_lamports, r.payout_amount, r.escrowed_amount
        into amount, lamports, payout, escrow;
    if found then
      told := told || i;
      p.reserved_usd_micros := p.reserved_usd_micros - amount;
      if outcomes[i] = 'settled' then p.settled_usd_micros := p.settled_usd_micros + amount; end if;
      if lamports > 0 then
        -- The sum is at this window first, so that the row is in it before and, unless released, after.
        perform policy.lock_sponsorship(window_start);
        update policy.reservations r set sponsored_at = case when outcomes[i] <> 'dead' then at end
          where r.operation_id = operation_ids[i] and r.step = steps[i] and r.attempt = attempts[i];
        if outcomes[i] = 'dead' then
          update policy.sponsorship s set sponsored_lamports = s.sponsored_lamports - lamports;
        end if;
      end if;
      if payout is not null then paid := paid || i; end if;
      if payout is not null and outcomes[i] = 'settled' then
        select * into less from policy.true_down(agent, operation_ids[i], window_start);
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
    -- As with sponsorship: the sum is at this window first. It is locked after that of sponsorship, here as in authorize.
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
  select event_ids[n], agent, payloads[n] from unnest(told) as n;
  update policy.policies t set reserved_usd_micros = p.reserved_usd_micros, settled_usd_micros = p.settled_usd_micros,
    settled_since = window_start
  where t.agent_id = agent;
end
$$;
