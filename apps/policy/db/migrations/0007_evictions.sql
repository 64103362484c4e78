-- Up to where an eviction of all of an agent's sessions has voided its operations: those with lower ids. An id begins with
-- the time at which the gateway made it.
create table evictions (
  agent_id uuid primary key,
  operations_before uuid not null
);
