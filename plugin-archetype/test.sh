#!/bin/sh
# Tests the archetype as an author meets it: installs this build into a repository of its own, makes a project of each
# kind in an empty folder, builds it with its tests, and runs its scenario by the command line.
#
# usage: plugin-archetype/test.sh [KIND...]      (default: all kinds, each in a project of its own)
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
[ $# -gt 0 ] || set -- link switch topology collective workload network-model congestion-control
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# Libraries that were fetched before are linked, not fetched again; Heddle itself goes to this repository alone.
mkdir -p "$HOME/.m2/repository"
cp -al "$HOME/.m2/repository" "$folder/repository" 2>/dev/null || cp -a "$HOME/.m2/repository" "$folder/repository"
maven() {
  mvn -B -q -Dmaven.repo.local="$folder/repository" "$@"
}

seconds() {
  date +%s
}

start=$(seconds)
(cd "$root" && maven -pl bom,testkit,scenario,standard,plugin-archetype -am -P '!errorprone' -Dmaven.test.skip=true \
  -Dformatter.skip -Dimpsort.skip -Dforbiddenapis.skip install)
echo "install: $(($(seconds) - start)) s"
version=$(sed -n 's|^  <version>\(.*\)</version>$|\1|p' "$root/pom.xml" | head -n 1)
for kind in "$@"; do
  start=$(seconds)
  mkdir "$folder/$kind"
  cd "$folder/$kind"
  maven archetype:generate -DarchetypeGroupId=dev.heddle -DarchetypeArtifactId=heddle-plugin-archetype \
    "-DarchetypeVersion=$version" -DarchetypeCatalog=local -DgroupId=com.example "-DartifactId=my-$kind" \
    -Dversion=1.0 -Dpackage=com.example.plugin "-Dkind=$kind"
  cd "my-$kind"
  maven package
  "$root/heddle" run "scenarios/$kind.yaml" --plugin-path "target/my-$kind-1.0.jar" >"$folder/$kind.txt" ||
    { cat "$folder/$kind.txt"; echo "archetype-test: $kind does not run" >&2; exit 1; }
  tests=$(sed -n 's/.*tests="\([0-9]*\)".*/\1/p' target/surefire-reports/TEST-*.xml | awk '{n += $1} END {print n}')
  echo "$kind: $tests tests, $(($(seconds) - start)) s"
done
echo "archetype-test: passed"
