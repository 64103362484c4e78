-- A program that knows no owners raises no version. After a rollback it would loosen claimed agents: here it fails instead.
create or replace function require_new_version() returns trigger language plpgsql as $$
begin
  raise exception 'the policy of a claimed agent changes only with its version'
    using errcode = 'check_violation', constraint = 'claimed_policies_change_with_their_version',
      table = tg_table_name, schema = tg_table_schema;
end
$$;
