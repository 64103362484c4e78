-- What is priced beyond every limit is counted as the largest limit there is: the sums would leave bigint otherwise, and a
-- recovery could not end.

-- Counts a transaction that was forgotten, once: to the agent's limits, to the sponsor's bounds and the treasury's, from the
-- time of its block on (with room for the chain's clock), and freezes the agent. Without a value it takes the whole daily limit.
create or replace function count_recovered(
  recovery integer, agent uuid, signature text, message_hash bytea, slot bigint, landed_at timestamptz,
  value_usd_micros bigint, lamports bigint, paid_out bigint
) returns boolean language plpgsql volatile as $$
declare
  p policy.policies;
  is_agent boolean;
  counted bigint;
  at timestamptz;
begin
  select * into p from policy.policies where agent_id = agent for no key update;
  is_agent := found;
  at := least(policy.now(), landed_at + interval '10 minutes');
  -- No limit is above a billion dollars.
  counted := least(coalesce(value_usd_micros, p.daily_limit_usd_micros, 0), 1000000000000000);
  insert into policy.recovered_transactions
    values (signature, recovery, agent, message_hash, slot, landed_at, counted) on conflict do nothing;
  if not found then return false; end if;
  insert into policy.reservations (operation_id, step, attempt, agent_id, intent, message_hash, value_usd_micros, state,
    created_at, settled_at, next_check_at, sponsored_lamports, sponsored_at, payout_amount, paid_out_at)
  values (gen_random_uuid(), 1, 1, coalesce(agent, '00000000-0000-0000-0000-000000000000'), '', message_hash, counted,
    'settled', at, at, 'infinity', lamports, case when lamports > 0 then at end,
    paid_out, case when paid_out is not null then at end);
  update policy.sponsorship set sponsored_lamports = sponsored_lamports + lamports
    where lamports > 0 and sponsored_since < at;
  update policy.payouts set paid_out_amount = paid_out_amount + paid_out where paid_out > 0 and paid_out_since < at;
  if is_agent then
    update policy.policies set settled_usd_micros = settled_usd_micros + counted
      where agent_id = agent and settled_since < at;
    insert into policy.freezes (agent_id, operator, reason, since) values (agent, 'recovery',
      'transactions of this agent are on chain and in no record: see ops recovery status', policy.now())
      on conflict do nothing;
  end if;
  return true;
end
$$;
