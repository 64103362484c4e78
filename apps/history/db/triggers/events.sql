-- Always: also for a superuser who writes as a replica does (session_replication_role).
create trigger events_are_append_only before update or delete or truncate on events for each statement execute function reject_change();
alter table events enable always trigger events_are_append_only;
