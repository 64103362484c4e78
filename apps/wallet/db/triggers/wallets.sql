create trigger wallets_are_watched after insert on wallets for each row execute function watch_wallet();
