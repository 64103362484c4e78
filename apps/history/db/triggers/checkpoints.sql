-- Always: also for a superuser who writes as a replica does (session_replication_role).
create trigger checkpoints_are_append_only before update or delete or truncate on checkpoints for each statement execute function reject_change();
alter table checkpoints enable always trigger checkpoints_are_append_only;
