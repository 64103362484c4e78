create or replace function open_look_batch() returns trigger language plpgsql as $$
begin
  insert into look_batches (number) values (new.id / 100) on conflict do nothing;
  return null;
end
$$;
