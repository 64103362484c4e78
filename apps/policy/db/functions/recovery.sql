-- Which database this is. At least one part differs in a restored one: the system identifier in another cluster, the
-- timeline after a recovery to a point in time or a promotion, from its first moment on, and an oid in a copy or where a
-- dump was loaded. 0001_baseline.sql notes the first identity by the same expression.
create or replace function database_identity() returns text language plpgsql volatile as $$
begin
  return concat_ws('/',
    (select system_identifier from pg_catalog.pg_control_system()),
    left(pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_insert_lsn()), 8),
    (select oid from pg_catalog.pg_database where datname = current_database()),
    'policy.reservations'::regclass::oid);
end
$$;

-- Lets the statement go on that calls it, unless the database may have forgotten something. Row share mode and the lock
-- before the snapshot, as with freezes: a recovery that begins waits for what is being permitted, and later requests for it.
create or replace function may_permit(kinds spending[]) returns boolean language plpgsql volatile as $$
declare
  is_open boolean;
begin
  -- Without a parameter: it is planned once.
  select r.ended_at is null into is_open from policy.recoveries r where r.ended_at is null or r.treasury_frozen
    order by r.ended_at nulls first limit 1 for key share;
  if is_open or (not is_open and ('escrow' = any (kinds) or 'payout' = any (kinds)))
    or policy.database_identity() is distinct from (select identity from policy.database_identity) then
    raise exception 'what was permitted may have been forgotten' using errcode = 'AW001';
  end if;
  return true;
end
$$;

-- Begins a recovery where the database is another one than the known, or where it is ordered for what happened since a
-- time. Null when there is nothing to begin. Heads are noted in the known database alone, so the last ones are of before.
create or replace function start_recovery(because text, ordered_since timestamptz) returns integer
language plpgsql volatile as $$
declare
  is_known boolean;
  r policy.recoveries;
begin
  lock table policy.recoveries in exclusive mode;
  is_known := exists (select from policy.database_identity where identity = policy.database_identity());
  if is_known and ordered_since is null then return null; end if;
  insert into policy.database_identity (identity) values (policy.database_identity())
    on conflict (is_only) do update set identity = excluded.identity;
  select * into r from policy.recoveries where ended_at is null;
  if r.id is not null and is_known then return null; end if;
  -- What was pending may have been signed since, and what was approved used: no signature must count once more.
  update policy.approvals set state = 'superseded', decided_at = policy.now()
    where (state = 'pending' and kind <> 'operation') or (state = 'approved' and effective_at is not null);
  update policy.approvals set state = 'void', decided_at = policy.now(), open_until = null where open_until is not null;
  -- Which of them had ended since is forgotten.
  update policy.tokens set ended_at = policy.now() where ended_at is null;
  -- Restored in the middle of a recovery: what that had found out belongs to another history.
  delete from policy.recovery_scans;
  if r.id is not null then
    update policy.recoveries set last_height = null, read_at_slot = null, wallets_reported = false where id = r.id;
    return r.id;
  end if;
  insert into policy.recoveries (reason, started_at, since_slot, since)
  -- A node may have claimed a slot that was yet to come: the lowest of so many is believed.
  select because, policy.now(), coalesce(min(slot), 0), coalesce(min(first_known_at), '-infinity') - interval '1 hour'
  from (select h.slot, h.first_known_at from policy.chain_heads h
        where h.first_known_at <= coalesce(ordered_since, 'infinity') order by h.first_known_at desc limit 30) as known
  returning * into r;
  return r.id;
end
$$;

-- Counts a transaction that was forgotten, once: to the agent's limits, to the sponsor's bounds and the treasury's, from the
-- time of its block on (see counts_from), and freezes the agent. Without a value it takes the whole daily limit.
create or replace function count_recovered(
  recovery integer, agent uuid, signature text, message_hash bytea, slot bigint, landed_at timestamptz,
  value_usd_micros bigint, lamports bigint, paid_out numeric
) returns boolean language plpgsql volatile as $$
declare
  p policy.policies;
  is_agent boolean;
  counted bigint;
  at timestamptz;
begin
  select * into p from policy.policies where agent_id = agent for no key update;
  is_agent := found;
  at := policy.counts_from(landed_at, policy.now());
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
  update policy.payouts set has_moved = true where paid_out is not null and not has_moved;
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
