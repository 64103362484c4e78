create trigger accounts_are_looked_at after insert on watched_accounts for each row execute function open_look_batch();
