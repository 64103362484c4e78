-- Functions by which the replicas share the aggregator's budget for prices: a read of up to 50 mints every so many milliseconds, and four at
-- once after a pause.

-- Locks the pace, and returns when the next read is due. A time further ahead than a burst was written by a clock that was
-- ahead.
create or replace function lock_price_pace(at_ms bigint, interval_ms bigint) returns bigint language plpgsql as $$
declare
  due bigint;
begin
  insert into policy.price_pace (due_at_ms) values (0) on conflict do nothing;
  select due_at_ms into due from policy.price_pace for update;
  return case when due > at_ms + 4 * interval_ms then at_ms else due end;
end
$$;

-- Returns when an entry was read by a replica's clock, which says at_ms now; 0 where it was not. An entry is as old as the
-- database's clock says, though the replica that read it was ahead, and as the replicas' clocks say, though the database's
-- was set back.
create or replace function price_read_at(entry policy.price_entries, at_ms bigint) returns bigint language sql as $$
  select case when entry.read_at_ms is null then 0 else
    least(entry.read_at_ms, at_ms, at_ms - ceil(extract(epoch from policy.now() - entry.asked_at) * 1000)::bigint) end
$$;

-- Claims what a replica is to read now: those of the wanted mints whose entry is not newer than a time and that no other
-- replica reads, and other mints that were wanted lately and are about to be. Empty while others read them, or while
-- the pace forbids a read.
-- favored: mints that each read brings along, so that no flood of other tokens keeps their prices from anyone
-- burst: how many reads may be ahead of the pace
create or replace function claim_price_read(
  claim uuid, wanted text[], favored text[], at_ms bigint, after_ms bigint, interval_ms bigint, burst integer) returns text[]
language plpgsql as $$
declare
  due bigint := policy.lock_price_pace(at_ms, interval_ms);
  claimed text[];
begin
  insert into policy.price_entries (mint, wanted_at_ms) select distinct m, at_ms from unnest(wanted || favored) as m
    on conflict (mint) do update set wanted_at_ms = excluded.wanted_at_ms;
  claimed := array(
    select mint from policy.price_entries e
    where mint = any (wanted) and policy.price_read_at(e, at_ms) <= after_ms and coalesce(claimed_until_ms, 0) < at_ms
    limit 50 - cardinality(favored));
  if cardinality(claimed) = 0 or due > at_ms + (burst - 1) * interval_ms then return '{}'; end if;
  claimed := claimed || array(
    select mint from policy.price_entries e
    where wanted_at_ms > at_ms - 30000 and not mint = any (claimed)
      and policy.price_read_at(e, at_ms) <= at_ms - 2000 and coalesce(claimed_until_ms, 0) < at_ms
    order by mint = any (favored) desc, wanted_at_ms desc limit 50 - cardinality(claimed));
  -- Shorter than a caller waits: where a replica died, another one reads.
  update policy.price_entries set claim_id = claim, claimed_at = policy.now(), claimed_until_ms = at_ms + 2500
    where mint = any (claimed);
  update policy.price_pace set due_at_ms = greatest(due, at_ms) + interval_ms;
  return claimed;
end
$$;

-- Stores what was read of claimed mints, and forgets those that were not wanted for ten minutes. After a failed read the
-- mints are free again: read_at is null then. A mint that another replica has claimed meanwhile is left to it.
create or replace function store_price_read(claim uuid, mints text[], entries text[], read_at bigint, at_ms bigint)
returns void language plpgsql as $$
begin
  perform from policy.price_pace for update;
  update policy.price_entries e
    set claim_id = null,
      claimed_until_ms = null,
      entry = case when read_at is null then e.entry else g.entry end,
      asked_at = case when read_at is null then e.asked_at else e.claimed_at end,
      read_at_ms = coalesce(read_at, e.read_at_ms)
    from unnest(mints, entries) as g (mint, entry) where e.mint = g.mint and e.claim_id = claim;
  delete from policy.price_entries where wanted_at_ms < at_ms - 600000;
end
$$;
