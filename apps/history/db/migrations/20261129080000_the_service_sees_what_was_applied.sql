-- The service's pods wait until their schema is as new as they are: whoever works in the schema reads what was applied to it,
-- and its owner alone writes that.
do $$
declare
  worker text;
begin
  for worker in
    select distinct grantee::regrole::text from pg_namespace n, aclexplode(n.nspacl)
    where n.nspname = current_schema() and grantee not in (0, n.nspowner)
  loop
    execute format('grant select on "schema_migrations" to %s', worker);
  end loop;
end
$$;
