-- The time by which tokens are counted.
create or replace function bucket_now() returns timestamptz language sql volatile as $$ select clock_timestamp() $$;
