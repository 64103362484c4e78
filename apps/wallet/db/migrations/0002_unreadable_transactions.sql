-- Transactions that name a watched account and that no node could show, or that could not be decoded. Their readers pass
-- them; each is tried again at `retry_at`, later every time, and removed once it was read.
create table unreadable_transactions (
  signature text primary key,
  slot bigint not null,
  -- Reads after the one that found it unreadable.
  retries integer not null default 0,
  -- The next try, or the end of a lease.
  retry_at timestamptz not null,
  created_at timestamptz not null default clock_timestamp()
);

create index unreadable_transactions_to_retry on unreadable_transactions (retry_at);
