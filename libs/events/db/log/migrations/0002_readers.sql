-- The roles that may read the log beside its consumer, once: see functions/rights.sql.
create table if not exists readers (role_name text primary key);
