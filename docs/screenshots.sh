#!/bin/sh
# Renews the pictures in README and docs by a real Chromium:
#   report.png, tutorial-sweep.png            reports of scenarios/first.yaml and of the tutorial's sweep
#   service-{ask,live,compare}.png            pages of the service, which its browser test drives and keeps
#
# usage: docs/screenshots.sh
#
# CHROMIUM names the browser (default: /usr/bin/chromium). The pages of the service take Node.js, and playwright-core
# where NODE_PATH has it:
#   npm install --prefix /tmp/browser playwright-core && NODE_PATH=/tmp/browser/node_modules docs/screenshots.sh
# Without them the reports alone are renewed, and it says so.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
CHROMIUM=${CHROMIUM:-/usr/bin/chromium}
export CHROMIUM
folder=$(mktemp -d)
service=
stop() {
  [ -z "$service" ] || kill "$service" 2>/dev/null || :
  wait
  rm -rf "$folder"
}
trap stop EXIT

# picture NAME FILE HEIGHT: draws a page of a file.
picture() {
  "$CHROMIUM" --headless --no-sandbox --disable-gpu --hide-scrollbars --force-device-scale-factor=0.75 \
    --user-data-dir="$folder/profile" --window-size="1160,$3" --screenshot="$root/docs/$1" "file://$2" 2>/dev/null
}

"$root/heddle" run "$root/scenarios/first.yaml" --out "$folder/first" --quiet
picture report.png "$folder/first/report.html" 980
"$root/heddle" sweep "$root/docs/tutorial/latency.yaml" --out "$folder/latency" --quiet
picture tutorial-sweep.png "$folder/latency/report.html" 760

if ! command -v node >/dev/null 2>&1 || ! [ -d "${NODE_PATH:-/none}/playwright-core" ]; then
  echo "screenshots: the pages of the service are as they were: no Node.js, or no playwright-core in NODE_PATH" >&2
  exit 0
fi
"$root/heddle" serve --port 0 --data "$folder/service" >"$folder/address" &
service=$!
base=
for _ in $(seq 120); do
  base=$(sed -n 's|.*\(http://127\.0\.0\.1:[0-9]*\)/.*|\1|p' "$folder/address")
  [ -z "$base" ] || break
  sleep 1
done
node "$root/service/src/test/browser/drive.mjs" "$base" "$folder/pages"
cp "$folder/pages/02-ask.png" "$root/docs/service-ask.png"
cp "$folder/pages/08-live.png" "$root/docs/service-live.png"
cp "$folder/pages/07-compare.png" "$root/docs/service-compare.png"
ls -l "$root"/docs/*.png
