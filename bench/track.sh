#!/bin/sh
# Builds module bench where sources are newer than the last build, and starts the tracker of speed in the current folder.
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
stamp=$root/bench/target/.tracked
if [ ! -f "$stamp" ] || [ -n "$(find "$root"/pom.xml "$root"/*/pom.xml "$root"/*/src/main -newer "$stamp" 2>/dev/null |
  head -n 1)" ]; then
  mkdir -p "$root/bench/target"
  touch "$stamp.new"
  mvn -B -q -f "$root/pom.xml" -Dmaven.test.skip=true -P '!errorprone' package -pl bench -am >&2
  mv "$stamp.new" "$stamp"
fi
exec "${JAVA_HOME:+$JAVA_HOME/bin/}java" -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xshare:auto \
  -cp "$root/bench/target/classes:$root/bench/target/lib/*" dev.heddle.bench.track.Track "$@"
