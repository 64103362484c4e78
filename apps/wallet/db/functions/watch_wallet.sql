-- In the transaction that stores the wallet, for every writer.
create or replace function watch_wallet() returns trigger language plpgsql as $$
begin
  insert into watched_accounts (address, agent_id, wallet, sweep_due_at)
  values (new.address, new.agent_id, new.address, clock_timestamp()) on conflict do nothing;
  return null;
end
$$;
