-- Requests to the aggregator that all copies of the service ask together. It counts them in a window of a minute that
-- slides, so they are counted by the second.
create table request_counts (
  second bigint primary key,
  requests integer not null
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
