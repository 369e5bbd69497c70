#!/bin/sh
# Renews docs/report.png, the picture of a report in README: runs scenarios/first.yaml and lets Chromium draw its report.
#
# usage: docs/report-screenshot.sh        (CHROMIUM names the browser; default: chromium)
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$root/heddle" run "$root/scenarios/first.yaml" --out "$folder/first" --quiet
"${CHROMIUM:-chromium}" --headless --no-sandbox --disable-gpu --hide-scrollbars --force-device-scale-factor=1 \
  --user-data-dir="$folder/profile" --window-size=1160,980 --screenshot="$root/docs/report.png" \
  "file://$folder/first/report.html" 2>/dev/null
# A palette of 64 colours makes the picture a third of its size, where ImageMagick is installed.
if command -v convert >/dev/null 2>&1; then
  convert "$root/docs/report.png" -strip -resize 66% +dither -colors 64 "PNG8:$root/docs/report.png"
fi
ls -l "$root/docs/report.png"
