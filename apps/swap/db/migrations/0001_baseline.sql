-- Questions to the aggregator that all copies of the service ask together. It counts them in a window of a minute that
-- slides, so they are counted by the second.
create table request_counts (
  second bigint primary key,
  questions integer not null
) with (fillfactor = 50);

-- Until when the aggregator wants to be left alone, for questions and for executions.
create table aggregator_pauses (
  what text primary key check (what in ('ask', 'execute')),
  until_at timestamptz not null default '-infinity'
);
insert into aggregator_pauses (what) values ('ask'), ('execute');
