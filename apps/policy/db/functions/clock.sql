-- The clock of every limit and window. A test replaces it in its own database.
create or replace function now() returns timestamptz language sql volatile as $$ select clock_timestamp() $$;
