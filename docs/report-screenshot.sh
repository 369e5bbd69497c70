#!/bin/sh
# Renews docs/report.png, the picture of a report in README: runs scenarios/first.yaml and lets Chromium draw its report.
#
# usage: docs/report-screenshot.sh        (CHROMIUM names the browser; default: chromium)
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$root/heddle" run "$root/scenarios/first.yaml" --out "$folder/first" --quiet
"${CHROMIUM:-chromium}" --headless --no-sandbox --disable-gpu --hide-scrollbars --force-device-scale-factor=0.75 \
  --user-data-dir="$folder/profile" --window-size=1160,980 --screenshot="$root/docs/report.png" \
  "file://$folder/first/report.html" 2>/dev/null
ls -l "$root/docs/report.png"
