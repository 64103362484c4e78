-- The log only grows, and a checkpoint that was signed stays: not even the owner changes them by mistake.
create or replace function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'the audit log is append-only';
end
$$;

create or replace trigger events_are_append_only before update or delete or truncate on events
for each statement execute function refuse_change();

create or replace trigger batches_are_append_only before update or delete or truncate on log_batches
for each statement execute function refuse_change();

create or replace trigger checkpoints_are_append_only before update or delete or truncate on checkpoints
for each statement execute function refuse_change();
