#!/bin/sh
# Tests the image of the Containerfile: builds it from this system's release archive, runs the first scenario in it, and
# the pods of a sweep's Kubernetes manifest with the command, index, user and volume that the manifest gives them.
#
# usage: dist/release/container-test.sh        (after dist/release/build.sh)
#
# It takes buildah, podman's builder; without it it says so and passes. Containers run in its isolation by chroot, which
# also a host without cgroups of its own allows. Images are kept in a folder of the test. Where the base image cannot be
# pulled, debootstrap makes a Debian of its release, which takes root and a mirror (MIRROR, default: deb.debian.org).
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd -P)
base=docker.io/library/debian:bookworm-slim
if ! command -v buildah >/dev/null 2>&1; then
  echo "container-test: skipped: buildah is not installed (apt-get install buildah)"
  exit 0
fi
ls "$root"/dist/target/release/heddle-*-linux-*.tar.gz >/dev/null

folder=$(mktemp -d /tmp/heddle-container.XXXXXX)
engine() {
  buildah --root "$folder/storage" --runroot "$folder/run" --storage-driver=vfs "$@"
}
trap 'engine rm --all >/dev/null 2>&1 || :; rm -rf "$folder"' EXIT
fail() {
  echo "container-test: $1" >&2
  exit 1
}
call() {
  engine run --isolation=chroot --network=host "$@"
}

if ! engine pull --quiet "$base" 2>/dev/null; then
  command -v debootstrap >/dev/null 2>&1 || fail "$base cannot be pulled, and debootstrap is not installed"
  echo "$base cannot be pulled: debootstrap makes it"
  debootstrap --variant=minbase bookworm "$folder/base" "${MIRROR:-http://deb.debian.org/debian}" >"$folder/log" 2>&1 ||
    { tail -n 20 "$folder/log" >&2; fail "debootstrap failed"; }
  container=$(engine from scratch)
  engine copy --quiet "$container" "$folder/base" / >/dev/null
  engine commit --quiet --rm "$container" "$base" >/dev/null
  rm -rf "$folder/base"
fi
start=$(date +%s)
engine build --quiet --isolation=chroot --network=host -f "$root/dist/release/Containerfile" -t heddle \
  "$root/dist/target/release" >/dev/null
echo "build: $(($(date +%s) - start)) s; $(engine images --format '{{.Size}}' heddle) with its base"
container=$(engine from --pull-never localhost/heddle)

start=$(date +%s)
call "$container" heddle run /scenarios/first.yaml | grep "Intra-node throughput" ||
  fail "the first run prints no throughput"
echo "first run: $(($(date +%s) - start)) s"
engine inspect --format '{{.OCIv1.Config.Cmd}} as {{.OCIv1.Config.User}}' "$container" | grep -qF '[heddle --help] as heddle' ||
  fail "the image alone prints no help"

# The volume that the pods share, at the path that the manifest mounts; the image's user writes to it.
shared=$folder/shared
mkdir "$shared"
chmod 777 "$folder/shared"
chmod 755 "$folder"
cat >"$shared/study.yaml" <<'END'
name: study
cluster: {tiers: [{name: n, terminals: {accelerator: 4}, topology: {type: star, link: {type: generic, rate: 100 Gb/s}}}]}
collectives: ring
workload: {type: collective, size: 1 MiB}
sweep: {workload.size: [1 MiB, 2 MiB, 3 MiB, 4 MiB, 5 MiB, 6 MiB]}
END
call --volume "$shared:$shared" "$container" heddle sweep "$shared/study.yaml" --out "$shared/out" --workers 3 --manifest \
  --engine "{type: kubernetes, image: heddle, claim: shared, mount: $shared}" >"$folder/manifest.yaml"
command=$(sed -n '/^ *- -c$/{n;s/^ *- //p;}' "$folder/manifest.yaml")
[ -n "$command" ] || { cat "$folder/manifest.yaml" >&2; fail "the manifest has no command"; }
for index in 0 1 2; do
  call --volume "$shared:$shared" --env "JOB_COMPLETION_INDEX=$index" "$container" /bin/sh -c "$command" ||
    fail "the pod of index $index fails"
done
call --volume "$shared:$shared" "$container" heddle sweep "$shared/study.yaml" --out "$shared/whole" --quiet
# The columns of a point's results are equal; the times that points took are not among them.
cmp "$shared/out/results.csv" "$shared/whole/results.csv" || fail "pods and one process differ"
echo "three pods: $(grep -c MiB "$shared/out/results.csv") of 6 points, as one process has them"
echo "container-test: passed"
