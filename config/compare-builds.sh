#!/bin/sh
# Builds the last commit twice, in folders of different names and depths, and compares all jars byte for byte.
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
commit=$(git -C "$root" rev-parse HEAD)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for folder in "$work/a" "$work/another/folder/b"; do
  mkdir -p "$folder"
  git -C "$root" archive "$commit" | tar x -C "$folder"
  mvn -B -q -f "$folder/pom.xml" -Dmaven.test.skip=true package
  (cd "$folder" && find . -name '*.jar' | LC_ALL=C sort | xargs sha256sum) >"$work/$(basename "$folder").sums"
done
if ! cmp -s "$work/a.sums" "$work/b.sums"; then
  diff "$work/a.sums" "$work/b.sums" || :
  exit 1
fi
echo "$(wc -l <"$work/a.sums") jars are equal"
