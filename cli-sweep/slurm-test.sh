#!/bin/sh
# Tests the engine for Slurm against a real slurmctld and slurmd, which it starts on this host for the time of the test
# in a folder of its own: a sweep of 10,000 points on three tasks, of which two are killed.
#
# usage: cli-sweep/slurm-test.sh [POINTS]
#
# It takes root, and Debian's packages slurm-wlm and munge; without them it says so and passes.
set -eu

points=${1:-10000}
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)

for program in slurmctld slurmd sbatch squeue munged mungekey; do
  if ! command -v "$program" >/dev/null 2>&1 && ! [ -x "/usr/sbin/$program" ]; then
    echo "slurm-test: skipped: $program is not installed (apt-get install slurm-wlm munge)"
    exit 0
  fi
done
if [ "$(id -u)" != 0 ]; then
  echo "slurm-test: skipped: slurmd must run as root to start tasks"
  exit 0
fi
PATH=$PATH:/usr/sbin

folder=$(mktemp -d /tmp/heddle-slurm.XXXXXX)
stop() {
  for pid in "$folder"/slurmctld.pid "$folder"/slurmd.pid "$folder"/munged.pid; do
    [ ! -f "$pid" ] || kill "$(cat "$pid")" 2>/dev/null || :
  done
  sleep 2
  rm -rf "$folder"
}
trap stop EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

host=$(hostname -s)
# Memory is not shared out, so that all tasks run at once whatever the host has; four tasks run on two cores.
cat >"$folder/slurm.conf" <<END
ClusterName=heddle
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmctldPort=16817
SlurmdPort=16818
AuthType=auth/munge
AuthInfo=socket=$folder/munge.socket
CredType=cred/munge
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
MpiDefault=none
ReturnToService=2
NodeName=$host NodeAddr=127.0.0.1 CPUs=4 State=UNKNOWN
PartitionName=test Nodes=$host Default=YES MaxTime=INFINITE State=UP
END
mkdir "$folder/state" "$folder/spool"
chmod 755 "$folder"
mungekey --create --keyfile="$folder/munge.key"
munged --force --key-file="$folder/munge.key" --socket="$folder/munge.socket" --pid-file="$folder/munged.pid" \
  --log-file="$folder/munged.log" --seed-file="$folder/munged.seed"
export SLURM_CONF="$folder/slurm.conf"
slurmctld -f "$SLURM_CONF"
slurmd -f "$SLURM_CONF"
ready=
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
  sleep 1
  if sinfo --noheader --format=%T 2>/dev/null | grep -q idle; then
    ready=yes
    break
  fi
done
if [ -z "$ready" ]; then
  tail -n 20 "$folder"/*.log >&2
  echo "slurm-test: slurmd did not come up; its log is above" >&2
  exit 1
fi
sinfo
cd "$root"
mvn -B -q -Dformatter.skip -Dimpsort.skip -Dforbiddenapis.skip -pl cli-sweep,service -am -P '!errorprone' test -Dtest=SlurmEngineTest,SlurmTaskRunnerTest -Dsurefire.failIfNoSpecifiedTests=false \
  -Dheddle.slurm=true "-Dheddle.sweep.points=$points"
