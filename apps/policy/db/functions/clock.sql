-- The clock of every limit and window. A test replaces it in its own database. It is volatile, as clock_timestamp() is: no index
-- finds what is due by it, and a search for that says (select policy.now()).
create or replace function now() returns timestamptz language sql volatile as $$ select clock_timestamp() $$;
