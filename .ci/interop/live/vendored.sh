#!/usr/bin/env bash
# What lies below assets/vendor of the live page is what its package has, byte for byte: packages.sha256
# says of each file its checksum, its package with the version, and its path there.
#
#   vendored.sh FOLDER [fetch]    FOLDER: a cache of packages; prints a line for each file, or only fetches
set -euo pipefail
vendor=$(cd "$(dirname "$0")/../../../proxy/admin/live/assets/vendor" && pwd)
cache=$1
mkdir -p "$cache"
sed '/^#/d;/^ *$/d' "$vendor/packages.sha256" >"$cache/listed"
while read -r sum name package path; do
  folder=$cache/${package//\//_}
  if [[ ! -e $folder/complete ]]; then
    rm -rf "$folder"
    mkdir -p "$folder"
    tar -xzf "$folder/$(cd "$folder" && npm pack --silent "$package")" -C "$folder"
    touch "$folder/complete"
  fi
  if [[ ${2-} == fetch ]]; then continue; fi
  what="live: vendor/$name is that of $package"
  if cmp --silent "$vendor/$name" "$folder/package/$path" \
    && sha256sum --quiet --check <<<"$sum  $vendor/$name"; then
    echo "ok - $what"
  else
    echo "not ok - $what"
  fi
done <"$cache/listed"
if [[ ${2-} == fetch ]]; then exit; fi
unlisted=$(comm -23 <(cd "$vendor" && find . -type f ! -name packages.sha256 -printf '%P\n' | sort) \
  <(awk '{ print $2 }' "$cache/listed" | sort))
if [[ -z $unlisted ]]; then echo 'ok - live: nothing else is in vendor'; else
  echo "not ok - live: vendor: $unlisted"; fi
if find "$vendor" -name 'LICENSE*' | grep -q .; then echo 'ok - live: the licence is there'; else
  echo 'not ok - live: the licence is there'; fi
