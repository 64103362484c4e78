create trigger stays before update or delete or truncate on fills execute function reject_change();
alter table fills enable always trigger stays;
