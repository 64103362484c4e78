-- Records that left the shown history, for example because the chain has undone them. A table of their own: pages and
-- totals read `transactions` alone, whose rows keep their place when their status changes.
create table dropped_transactions (
  id uuid primary key,
  agent_id uuid not null,
  -- A record comes back by a higher revision only.
  revision bigint not null
);
