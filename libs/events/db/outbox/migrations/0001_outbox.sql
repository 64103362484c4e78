-- Events of a service that publishes, written in the transaction of the change that they tell. A relay moves them to the
-- stream, in the order of their ids.
create table outbox (
  id bigint generated always as identity primary key,
  event_id uuid not null unique,
  agent_id uuid not null,
  payload bytea not null
);
