-- The time by which turns are counted.
create or replace function quota_now() returns timestamptz language sql volatile as $$ select clock_timestamp() $$;
