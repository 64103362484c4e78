-- The log only grows, and a checkpoint that was signed stays: not even the owner changes them by mistake.
create or replace function reject_change() returns trigger language plpgsql as $$
begin
  raise exception 'the audit log is append-only';
end
$$;
