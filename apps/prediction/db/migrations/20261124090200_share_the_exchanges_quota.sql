-- How often the exchange may be asked, shared by all copies of the service: they take turns as if they were one.
-- Everything here may be lost with the database's machine, so nobody waits for a disk.

-- The time by which turns are counted.
create function quota_now() returns timestamptz language sql volatile as $$ select clock_timestamp() $$;

-- The exchange's two token buckets, as we fill them: a little slower than it does, and less high, so that what is late
-- on its way and comes together with the next finds room there.
create table exchange_quotas (
  bucket text primary key check (bucket in ('read', 'write')),
  tokens_per_second double precision not null check (tokens_per_second > 0),
  capacity double precision not null check (capacity > 0),
  tokens double precision not null default 0,
  counted_at timestamptz not null default quota_now(),
  -- Until when nothing is asked, because the exchange was asked too often, and how often that came to pass of late.
  paused_until timestamptz not null default '-infinity',
  pauses integer not null default 0,
  -- How far the queue has come: the tag of the latest turn that was given.
  served_tag bigint not null default 0
) with (fillfactor = 50);
-- The lowest tier, until the exchange has been asked for ours.
insert into exchange_quotas (bucket, tokens_per_second, capacity) values ('read', 196, 100), ('write', 98, 50);

-- Orders that wait for their turn. A turn begins where its agent's turn before ends, so that an agent with a hundred
-- orders gets no more than one with a few (start-time fair queuing).
create table exchange_turns (
  -- An operation has one order, and keeps its place when another copy takes it over.
  operation_id uuid primary key,
  agent_id uuid not null,
  cost integer not null check (cost > 0),
  tag bigint not null,
  arrival bigint generated always as identity,
  -- Who waits for it.
  copy uuid not null,
  -- Given, and not yet picked up by the copy.
  given_at timestamptz,
  -- Nobody waits for it any more; its place is kept for a while.
  left_at timestamptz
) with (fillfactor = 50);
create index exchange_turns_in_order on exchange_turns (tag, arrival);

-- Where the latest turn of each agent ends, as long as that is ahead of the queue.
create table exchange_shares (
  agent_id uuid primary key,
  finish_tag bigint not null
);
create index exchange_shares_by_tag on exchange_shares (finish_tag);

-- Copies that wait, and when they were last heard of: nothing is given to the dead.
create table exchange_copies (
  copy uuid primary key,
  seen_at timestamptz not null
);

-- Fills a bucket up to now and locks it: the row is the turn of whoever counts.
create function fill_quota(which text) returns exchange_quotas language plpgsql as $$
declare
  quota exchange_quotas;
  now_at timestamptz;
begin
  perform set_config('synchronous_commit', 'off', true);
  select * into strict quota from exchange_quotas where bucket = which for update;
  now_at := quota_now();
  quota.tokens := least(quota.capacity,
    quota.tokens + quota.tokens_per_second * greatest(0, extract(epoch from now_at - quota.counted_at)));
  quota.counted_at := now_at;
  return quota;
end
$$;

-- Takes tokens for a question, if the share of the bucket that is kept for others stays in it. Answers how long to wait
-- until that can be tried again, in milliseconds; 0 when they are taken.
create function take_question(cost double precision, kept_share double precision) returns integer
language plpgsql as $$
declare
  quota exchange_quotas := fill_quota('read');
  missing double precision := cost + kept_share * quota.capacity - quota.tokens;
begin
  if quota.paused_until > quota.counted_at then
    return ceil(extract(epoch from quota.paused_until - quota.counted_at) * 1000);
  end if;
  if missing > 0 then
    return greatest(1, ceil(missing / quota.tokens_per_second * 1000));
  end if;
  update exchange_quotas set tokens = quota.tokens - cost, counted_at = quota.counted_at where bucket = 'read';
  return 0;
end
$$;

-- Puts an order into the queue. A tag is that of an order that had its turn and was not let in.
create function enter_turn(operation uuid, agent uuid, order_cost integer, known_tag bigint, waiting_copy uuid)
returns void language plpgsql as $$
declare
  -- Before all who wait with the same tag.
  start_tag bigint := known_tag - 1;
begin
  update exchange_turns set copy = waiting_copy, given_at = null, left_at = null where operation_id = operation;
  if found then
    return;
  end if;
  if start_tag is null then
    select greatest(q.served_tag, coalesce(s.finish_tag, 0)) into start_tag
      from exchange_quotas q left join exchange_shares s on s.agent_id = agent where q.bucket = 'write';
    insert into exchange_shares (agent_id, finish_tag) values (agent, start_tag + order_cost)
      on conflict (agent_id) do update set finish_tag = excluded.finish_tag;
  end if;
  insert into exchange_turns (operation_id, agent_id, cost, tag, copy)
    values (operation, agent, order_cost, start_tag, waiting_copy);
end
$$;

-- Gives turns away in order, as many as there are tokens for, whoever they belong to.
-- Answers for how long there is nothing to give, in milliseconds; null when nobody waits.
create function give_turns() returns integer language plpgsql as $$
declare
  quota exchange_quotas := fill_quota('write');
  next_turn exchange_turns;
  wait integer;
begin
  if quota.paused_until > quota.counted_at then
    return ceil(extract(epoch from quota.paused_until - quota.counted_at) * 1000);
  end if;
  loop
    select t.* into next_turn from exchange_turns t join exchange_copies c using (copy)
      where t.given_at is null and t.left_at is null and c.seen_at > quota.counted_at - interval '2 seconds'
      order by t.tag, t.arrival limit 1;
    exit when not found;
    if quota.tokens < next_turn.cost then
      wait := greatest(1, ceil((next_turn.cost - quota.tokens) / quota.tokens_per_second * 1000));
      exit;
    end if;
    quota.tokens := quota.tokens - next_turn.cost;
    quota.served_tag := greatest(quota.served_tag, next_turn.tag);
    update exchange_turns set given_at = quota.counted_at where operation_id = next_turn.operation_id;
  end loop;
  update exchange_quotas set tokens = quota.tokens, counted_at = quota.counted_at, served_tag = quota.served_tag
    where bucket = 'write';
  delete from exchange_shares where finish_tag <= quota.served_tag;
  return wait;
end
$$;

-- One visit of a copy: its new orders enter the queue, those that nobody waits for leave it, turns are given, and it
-- picks up its own. Entered is an array of {operationId, agentId, cost, tag}; gone are operations.
create function visit_queue(visitor uuid, entered jsonb, gone uuid[])
returns table (wait_ms integer, given jsonb) language plpgsql as $$
declare
  now_at timestamptz;
  e jsonb;
begin
  -- The lock comes first: visits follow each other.
  now_at := (fill_quota('write')).counted_at;
  insert into exchange_copies (copy, seen_at) values (visitor, now_at)
    on conflict (copy) do update set seen_at = excluded.seen_at;
  for e in select value from jsonb_array_elements(entered) loop
    perform enter_turn((e->>'operationId')::uuid, (e->>'agentId')::uuid, (e->>'cost')::integer, (e->>'tag')::bigint,
      visitor);
  end loop;
  update exchange_turns set left_at = now_at where operation_id = any (gone) and copy = visitor and given_at is null;
  wait_ms := give_turns();
  with picked as (
    delete from exchange_turns where copy = visitor and given_at is not null returning operation_id, tag, arrival
  )
  select coalesce(
    jsonb_agg(jsonb_build_object('operationId', operation_id, 'tag', tag::text) order by tag, arrival), '[]')
    into given from picked;
  -- What nobody comes back for.
  delete from exchange_turns where least(given_at, left_at) < now_at - interval '1 minute';
  delete from exchange_turns t using exchange_copies c
    where c.copy = t.copy and c.seen_at < now_at - interval '1 minute';
  delete from exchange_copies where seen_at < now_at - interval '1 minute';
  return next;
end
$$;

-- The exchange said that it was asked too often: all copies leave it alone for a moment, longer each time that it says so
-- again soon after. Answers for how long, in milliseconds.
create function pause_quota(which text) returns integer language plpgsql as $$
declare
  quota exchange_quotas := fill_quota(which);
begin
  -- Several of us were told at once.
  if quota.paused_until <= quota.counted_at then
    quota.pauses := case when quota.paused_until < quota.counted_at - interval '10 seconds' then 0
      else least(quota.pauses + 1, 4) end;
    quota.paused_until := quota.counted_at + interval '250 milliseconds' * 2 ^ quota.pauses;
    update exchange_quotas set tokens = 0, counted_at = quota.counted_at, paused_until = quota.paused_until,
      pauses = quota.pauses where bucket = which;
  end if;
  return ceil(extract(epoch from quota.paused_until - quota.counted_at) * 1000);
end
$$;
