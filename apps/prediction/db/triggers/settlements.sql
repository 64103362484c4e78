create trigger stays before update or delete or truncate on settlements execute function reject_change();
alter table settlements enable always trigger stays;
