-- What guards the journal holds always: also for a superuser who writes as a replica does (session_replication_role).
create trigger journal_entries_sum_to_zero before insert on journal_entries for each row execute function refuse_unbalanced();
alter table journal_entries enable always trigger journal_entries_sum_to_zero;

create trigger stays before update or delete or truncate on journal_entries execute function reject_change();
alter table journal_entries enable always trigger stays;

-- What follows from an entry does not: a replica has the rows of accounts, too, and would count each entry twice.
create trigger apply_to_balances after insert on journal_entries for each row execute function apply_to_balances();

create constraint trigger apply_to_operators_balances after insert on journal_entries
  deferrable initially deferred for each row execute function apply_to_operators_balances();
