#!/bin/sh
# Tests the release archive of this system as a new user meets it: unpacked in an empty folder whose path has a blank,
# without Java or Maven on the path.
#
# usage: dist/release/test.sh [ARCHIVE]
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd -P)
archive=${1:-$(ls "$root"/dist/target/release/heddle-*-"$(uname -s | tr '[:upper:]' '[:lower:]')-$(uname -m)".tar.gz)}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/bin" "$folder/a folder"
for tool in sh dirname readlink sed stty cut env grep; do
  ln -s "$(command -v "$tool")" "$folder/bin/$tool"
done
tar -xzf "$archive" -C "$folder/a folder"
cd "$folder/a folder"/heddle-*

call() {
  env -i PATH="$folder/bin" HOME="$folder" ./heddle "$@"
}
fail() {
  echo "release-test: $1" >&2
  exit 1
}

start=$(date +%s)
call run scenarios/first.yaml | grep -q 'Intra-node throughput' || fail "the first run prints no throughput"
echo "first run: $(($(date +%s) - start)) s"
call run scenarios/first.yaml --out "$folder/first" --quiet
[ -s "$folder/first/report.html" ] || fail "no report"
call sweep scenarios/first.yaml --out "$folder/sweep" >/dev/null 2>&1 && fail "a scenario without a sweep was swept"
call nccl-tests all_reduce_perf -b 8M -e 8M --cluster hgx-h100 --nodes 2 | grep -q 8388608 || fail "no table of nccl-tests"
call train --model llama3-8b --cluster hgx-h100 --nodes 4 --tp 2 --global-batch 64 --fidelity estimate |
  grep -q 'Iteration, s' || fail "no iteration"
call plugins | grep -q sweep-engine/slurm || fail "engines are missing"
printf 'name: s\ncluster: {tiers: [{name: n, terminals: {accelerator: 4}, topology: {type: star, link: {type: generic, rate: 100 Gb/s}}}]}\ncollectives: ring\nworkload: {type: collective, size: 1 MiB}\nsweep: {workload.size: [1 MiB, 2 MiB, 3 MiB]}\n' >"$folder/s.yaml"
call sweep "$folder/s.yaml" --out "$folder/swept" --engine local --workers 2 --quiet || fail "workers do not start"
[ "$(grep -c MiB "$folder/swept/results.csv")" = 3 ] || fail "points are missing"
if command -v bash >/dev/null 2>&1; then
  bash -c '. completion/heddle.bash && complete -p heddle' >/dev/null || fail "no completion"
fi
du -sh . | cut -f 1
echo "release-test: passed"
