create trigger schedule_polling after insert on watched_accounts for each row execute function create_poll_batch();
