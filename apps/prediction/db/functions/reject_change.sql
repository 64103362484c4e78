-- What is written stays: not even the owner changes it by mistake.
create or replace function reject_change() returns trigger language plpgsql as $$
begin
  raise exception 'the rows of % stay as they are', tg_table_name using errcode = 'insufficient_privilege';
end
$$;
