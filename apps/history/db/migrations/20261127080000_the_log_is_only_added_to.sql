-- Whoever works in the schema without owning it adds to the log and changes nothing in it. What is made from the log is
-- its own: it may be made anew and swapped.
do $$
declare
  worker text;
  made text;
begin
  for worker in
    select distinct grantee::regrole::text from pg_namespace n, aclexplode(n.nspacl)
    where n.nspname = current_schema() and grantee not in (0, n.nspowner)
  loop
    execute format('revoke update, delete, truncate on events, log_batches, checkpoints, dead_events from %s', worker);
    execute format('revoke delete, truncate on chain_heads from %s', worker);
    execute format('revoke all on "schema_migrations" from %s', worker);
    execute format('grant create on schema %I to %s', current_schema(), worker);
    for made in
      select tablename from pg_tables where schemaname = current_schema() and tablename not in
        ('events', 'log_batches', 'checkpoints', 'chain_heads', 'dead_events', 'event_positions', 'schema_migrations')
    loop
      execute format('alter table %I owner to %s', made, worker);
    end loop;
  end loop;
end
$$;
