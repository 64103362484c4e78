create or replace function open_look_batch() returns trigger language plpgsql as $$
begin
  insert into look_batches (number) values (new.id / 100) on conflict do nothing;
  return null;
end
$$;

create or replace trigger accounts_are_looked_at after insert on watched_accounts
for each row execute function open_look_batch();
