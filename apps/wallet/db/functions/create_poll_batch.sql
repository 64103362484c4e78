create or replace function create_poll_batch() returns trigger language plpgsql as $$
begin
  insert into poll_batches (number) values (new.id / 100) on conflict do nothing;
  return null;
end
$$;
