-- Always: also for a superuser who writes as a replica does (session_replication_role).
create trigger batches_are_append_only before update or delete or truncate on log_batches for each statement execute function reject_change();
alter table log_batches enable always trigger batches_are_append_only;
