#!/usr/bin/env bash
# A release in the hands of others: its list of modules stands up to the schema of CycloneDX, its manual
# page to mandoc, groff and man, its completions to the shells that read them, its checksums to sha256sum.
set -euo pipefail
. "$(dirname "$0")/recorder.sh"

target=$(go env GOHOSTOS)-$(go env GOHOSTARCH)
try 'a release of what lies here' env "TARGETS=${target/-/\/}" "$here/../release/run" snapshot "$T/dist"
try 'sha256sum' sh -c 'cd "$1" && sha256sum --strict --check SHA256SUMS' - "$T/dist"
try 'tar' tar -xzf "$T"/dist/*.tar.gz -C "$T"
folder=$(echo "$T"/warcorder-*-"$target")
try 'the list of modules, by its schema' "$SBOM/bin/python" "$here/release/sbom.py" "$T"/dist/*.cdx.json
sed 's/"bomFormat": "CycloneDX"/"bomFormat": "none"/' "$folder/sbom.cdx.json" >"$T/wrong.cdx.json"
if "$SBOM/bin/python" "$here/release/sbom.py" "$T/wrong.cdx.json" 2>/dev/null; then
  not_ok 'a list that is none is found'
else ok 'a list that is none is found'; fi

page=$folder/man/warcorder.1
equal 'mandoc has nothing to say' "$(mandoc -T lint -W warning "$page" 2>&1)" ''
equal 'groff has nothing to say' "$(groff -man -ww -z -T utf8 "$page" 2>&1)" ''
mandoc -T utf8 "$page" 2>/dev/null | sed 's/.\x08//g' >"$T/by-mandoc"
groff -man -T utf8 "$page" 2>/dev/null | sed 's/.\x08//g' >"$T/by-groff"
MANWIDTH=80 man --local-file "$page" 2>/dev/null >"$T/by-man" || true
for by in mandoc groff man; do
  lines=$(grep -c -- '--warc-max-size=SIZE\|^EXIT STATUS\|warcorder browser https://example.org/' "$T/by-$by" || true)
  ((lines >= 3)) && ok "$by shows flags, sections and examples" || not_ok "$by shows $lines of them"
done
try 'bash reads its completions' bash -n "$folder/completion/warcorder.bash"
[[ $("$folder/warcorder" version) == *'commit '*' of 20'* ]] && ok 'it says its commit' || not_ok 'it says its commit'
