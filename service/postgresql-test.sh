#!/bin/sh
# Tests the service on a real PostgreSQL, which it starts on this host for the time of the test in a folder of its own.
#
# usage: service/postgresql-test.sh [MAVEN OPTIONS], such as -Dheddle.service.full=true
#
# It takes Debian's package postgresql, or another with initdb and postgres on the path; without them it says so and
# passes. As root it runs the database as the user nobody, as PostgreSQL refuses root.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
for folder in /usr/lib/postgresql/*/bin; do
  [ ! -d "$folder" ] || PATH=$folder:$PATH
done
for program in initdb postgres pg_ctl; do
  if ! command -v "$program" >/dev/null 2>&1; then
    echo "postgresql-test: skipped: $program is not installed (apt-get install postgresql)"
    exit 0
  fi
done

folder=$(mktemp -d /tmp/heddle-postgresql.XXXXXX)
port=25432
as_user() {
  if [ "$(id -u)" = 0 ]; then
    setpriv --reuid=nobody --regid=nogroup --clear-groups env "PATH=$PATH" "$@"
  else
    "$@"
  fi
}
stop() {
  as_user pg_ctl --pgdata="$folder/data" --mode=fast --silent stop || :
  rm -rf "$folder"
}
trap stop EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
[ "$(id -u)" != 0 ] || chown nobody "$folder"
cd "$folder"
as_user initdb --pgdata="$folder/data" --username=heddle --auth=trust --encoding=UTF8 >"$folder.log" 2>&1 ||
  { cat "$folder.log"; exit 1; }
rm -f "$folder.log"
as_user pg_ctl --pgdata="$folder/data" --log="$folder/log" --silent --wait \
  --options="-p $port -c listen_addresses=127.0.0.1 -c unix_socket_directories=" start || { cat "$folder/log"; exit 1; }
postgres --version
cd "$root"
mvn -B -q -P 'postgresql,!errorprone' -Dformatter.skip -Dimpsort.skip -Dforbiddenapis.skip -pl service -am test \
  -Dtest=TaskStoreTest,ServiceTest,LoadTest,KillTest -Dsurefire.failIfNoSpecifiedTests=false \
  "-Dheddle.service.database=jdbc:postgresql://127.0.0.1:$port/postgres?user=heddle" "$@"
