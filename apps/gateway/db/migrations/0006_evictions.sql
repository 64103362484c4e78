-- Ends of all sessions of an agent, written with them and kept until policy has voided what the agent waits for: a crash
-- between the two leaves a row, and another replica reports it.
create table evictions (
  eviction_id uuid primary key,
  agent_id uuid not null references agents (id),
  -- Operations that were asked for before are void.
  asked_before timestamptz not null,
  noted_at timestamptz not null,
  due_at timestamptz not null
);
create index evictions_by_time on evictions (due_at);
