-- Ends open attempts of one agent with outcomes that were read from the chain: settled, failed or expired. The first
-- outcome stays. Returns one row for each, in order: the state of the attempt. A sponsor has paid for a failed attempt,
-- too. A settled payout reduces what the escrow of its operation counts. Once both are settled, in either order, the
-- payout itself no longer counts. Each outcome that is written publishes its event.
-- A settled attempt counts for 24 hours from landing. Its landing time is never before its permit, regardless of the
-- block time that a node reports; see counts_from. An addition of liquidity counts with what left of its maxima.
create or replace function settle(agent uuid, settlements settlement[]) returns table (final_state text) language plpgsql volatile as $$
declare
  p policy.policies;
  at timestamptz;
  window_start timestamptz;
  amount bigint;
  counted bigint;
  lamports bigint;
  payout numeric;
  escrow numeric;
  landed_at timestamptz;
  permitted_at timestamptz;
  is_approved boolean;
  less record;
  q policy.settlement;
  paid policy.settlement[] := '{}';
  to_publish policy.settlement[] := '{}';
  settled_moves uuid[] := '{}';
begin
  select * into p from policy.policies where agent_id = agent for no key update;
  if not found then return; end if;
  at := policy.now();
  window_start := policy.window_start(at);
  p.settled_usd_micros := p.settled_usd_micros + policy.settled_shift(agent, p.settled_since, window_start);
  foreach q in array settlements loop
    final_state := q.outcome;
    update policy.reservations r
      set state = q.outcome::policy.attempt_state,
        settled_at = case q.outcome when 'settled'
          then least(at, greatest(r.created_at, policy.counts_from(q.landed_at, at))) end,
        message = null, signature = null
      where r.operation_id = q.operation_id and r.step = q.step and r.attempt = q.attempt
        and r.agent_id = agent and r.state = 'open'
      returning r.value_usd_micros, r.sponsored_lamports, r.payout_amount, r.escrowed_amount, r.settled_at,
          r.created_at, r.approval_id is not null
        into amount, lamports, payout, escrow, landed_at, permitted_at, is_approved;
    if found then
      to_publish := to_publish || q;
      p.reserved_usd_micros := p.reserved_usd_micros - amount;
      counted := least(amount, q.value_usd_micros);
      if q.outcome = 'settled' and counted < amount then
        update policy.reservations r set value_usd_micros = counted
          where r.operation_id = q.operation_id and r.step = q.step and r.attempt = q.attempt;
      end if;
      if landed_at > window_start then p.settled_usd_micros := p.settled_usd_micros + counted; end if;
      if q.outcome = 'settled' and q.recipient is not null and not is_approved and permitted_at > policy.known_since(p) then
        -- What a signature allowed says nothing of later payments: neither one payment, nor a daily amount. An earlier
        -- payment that counts no more does not hide this one.
        insert into policy.recipients as known (agent_id, address, first_settled_at)
        values (agent, q.recipient, landed_at)
        on conflict (agent_id, address) do update set first_settled_at = excluded.first_settled_at
          where (known.first_settled_at is null or known.first_settled_at <= policy.known_since(p))
            and (known.forgotten_at is null or permitted_at > known.forgotten_at)
            and (known.trust is distinct from 'daily_amount' or known.trusted_at is not null);
      end if;
      if lamports > 0 then
        -- The sum is at this window first, so that the row is in it before and, unless released, after.
        perform policy.lock_sponsorship(window_start);
        update policy.reservations r set sponsored_at = case when q.outcome <> 'expired' then at end
          where r.operation_id = q.operation_id and r.step = q.step and r.attempt = q.attempt;
        if q.outcome = 'expired' then
          update policy.sponsorship s set sponsored_lamports = s.sponsored_lamports - lamports;
        end if;
      end if;
      if payout is not null then paid := paid || q; end if;
      if payout is not null and q.outcome = 'settled' then
        select * into less from policy.reduce_reservation(agent, q.operation_id, window_start);
        p.reserved_usd_micros := p.reserved_usd_micros - less.less_reserved;
        p.settled_usd_micros := p.settled_usd_micros - less.less_settled;
      end if;
      if coalesce(payout, escrow) is not null and q.outcome = 'settled' then
        settled_moves := settled_moves || q.operation_id;
      end if;
    else
      select r.state::text into final_state from policy.reservations r
        where r.operation_id = q.operation_id and r.step = q.step and r.attempt = q.attempt
          and r.agent_id = agent;
    end if;
    return next;
  end loop;
  if cardinality(paid) > 0 then
    -- As with sponsorship: the sum is at this window first. It is locked after that of sponsorship, here as in reserve.
    perform policy.lock_payouts(window_start);
    with ended as (
      update policy.reservations r set paid_out_at = case when r.state = 'settled' then at end
      from unnest(paid) as n
      where r.operation_id = n.operation_id and r.step = n.step and r.attempt = n.attempt
      returning case when r.state = 'settled' then 0 else r.payout_amount end as released)
    update policy.payouts s
      set paid_out_amount = s.paid_out_amount - (select sum(released) from ended);
  end if;
  if settled_moves <> '{}' then perform policy.cover_payouts(agent, settled_moves, window_start); end if;
  insert into policy.outbox (event_id, agent_id, payload)
  select n.event_id, agent, n.payload from unnest(to_publish) as n;
  update policy.policies t set reserved_usd_micros = p.reserved_usd_micros, settled_usd_micros = p.settled_usd_micros,
    settled_since = window_start
  where t.agent_id = agent;
end
$$;
