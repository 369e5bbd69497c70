#!/bin/sh
# Builds the release archives under dist/target/release:
#   heddle-VERSION-OS-ARCH.tar.gz   with a Java runtime for this system, trimmed by jlink; needs nothing installed
#   heddle-VERSION.tar.gz           for Linux, macOS and Windows with Java 17 or newer
#
# usage: dist/release/build.sh
#
# HEDDLE_JAVA_HOME, else JAVA_HOME, else the newest that ./heddle finds, names the JDK whose runtime is trimmed. A JDK
# that links its C++ library (Temurin) makes a runtime for more systems than one of a distribution.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd -P)
out=$root/dist/target/release

# The modules that the jars use (jdeps), but for java.desktop, of which Jackson uses two annotations where present.
modules=java.base,java.logging,java.management,java.naming,java.sql,java.xml,jdk.unsupported

"$root/heddle" --version >/dev/null
version=$(sed -n 's|^  <version>\(.*\)</version>$|\1|p' "$root/pom.xml" | head -n 1)
if [ -z "${HEDDLE_JAVA_HOME:-${JAVA_HOME:-}}" ]; then
  jdk=$(dirname -- "$(dirname -- "$(readlink -f "$(command -v jlink)")")")
else
  jdk=${HEDDLE_JAVA_HOME:-$JAVA_HOME}
fi
[ -x "$jdk/bin/jlink" ] || { echo "release: $jdk has no jlink; set HEDDLE_JAVA_HOME to a JDK" >&2; exit 3; }

rm -rf "$out"
name=heddle-$version
tree=$out/$name
mkdir -p "$tree/plugins" "$tree/completion"
cp "$root/heddle" "$root/dist/release/heddle.bat" "$root/LICENSE" "$root/README.md" "$root/CHANGELOG.md" "$tree/"
mkdir "$tree/lib"
cp "$root"/dist/target/heddle/lib/*.jar "$tree/lib/"
cp -R "$root/scenarios" "$tree/scenarios"
echo "Jars of plug-ins in this folder are found by every command." >"$tree/plugins/README.txt"
# picocli's script serves bash, and zsh by its bashcompinit.
"$root/heddle" generate-completion >"$tree/completion/heddle.bash"

# Equal sources give equal archives: names are sorted, times and owners fixed.
pack() {
  (cd "$out" && tar --sort=name --mtime=@1767225600 --owner=0 --group=0 --numeric-owner -cf - "$name" |
    gzip -9 -n >"$1")
}
pack "$name.tar.gz"

case $("$jdk/bin/java" -version 2>&1 | sed -n 's/.*version "\([0-9]*\).*/\1/p') in
  17 | 18 | 19 | 20) compress=2 ;;
  *) compress=zip-6 ;;
esac
"$jdk/bin/jlink" --add-modules "$modules" --strip-java-debug-attributes --no-header-files --no-man-pages \
  --compress="$compress" --output "$tree/runtime"
system=$(uname -s | tr '[:upper:]' '[:lower:]')-$(uname -m)
pack "$name-$system.tar.gz"
rm -rf "$tree"
ls -l "$out"
