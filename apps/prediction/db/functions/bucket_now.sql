-- The time by which turns are counted.
create or replace function bucket_now() returns timestamptz language sql volatile as $$ select clock_timestamp() $$;
