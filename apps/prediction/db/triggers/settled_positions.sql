create trigger stays before update or delete or truncate on settled_positions execute function reject_change();
alter table settled_positions enable always trigger stays;
