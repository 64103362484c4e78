-- Requests to the aggregator that all copies of the service ask together. It counts them in a window of a minute that
-- slides, so they are counted by the second, and by agent. Real ones are for trades to be carried out, others for dry
-- runs.
create table request_counts (
  second bigint not null,
  agent_id uuid not null,
  is_real boolean not null,
  requests integer not null,
  primary key (second, agent_id, is_real)
) with (fillfactor = 50);

-- Callers that wait for requests to the aggregator, in every copy. Each tries again before its row expires; one that does
-- not is dead.
create unlogged table aggregator_waiters (
  waiter_id uuid primary key,
  agent_id uuid not null,
  is_real boolean not null,
  requests integer not null,
  came_at timestamptz not null,
  expires_at timestamptz not null
) with (fillfactor = 50);

-- Until when the aggregator wants to be left alone, for requests and for executions.
create table aggregator_pauses (
  bucket text primary key check (bucket in ('ask', 'execute')),
  until_at timestamptz not null default '-infinity'
);
insert into aggregator_pauses (bucket) values ('ask'), ('execute');

-- Pools of liquidity that were read from the chain, by the mint of their liquidity tokens: an address cannot be derived
-- backwards, so that a position in a wallet would not show its pool.
create table known_pools (
  lp_mint text primary key,
  pool text not null
);
