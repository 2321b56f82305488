#!/usr/bin/env bash
# The index in other formats: what is recorded, and what another tool has made, is exported as CDXJ, CDX
# with 11 fields, ZipNum and Parquet, while it is recorded and at rest. Shows that sort finds the lines
# in order, that pywb finds the same in members and in CDX as in CDXJ, and that DuckDB and pyarrow read
# in each row of the table what its line says; and the same of a table that is pushed to a bucket. With
# CI_LONG=1 Spark runs a job over it.
set -euo pipefail
. "$(dirname "$0")/recorder.sh"
work=$T/formats
mkdir "$work"
tables=$FORMATS/bin/python
export_to() { "$WARCORDER" export --all --dir "$T/collections" --collection "$collection" "$@" 2>>"$T/formats.log"; }
site=http://localhost:$(field "$T/ports" http)

SSL_CERT_FILE=$T/site.pem start_recorder formats
"$WARCORDER" ca >"$T/ca.pem"
fetch_all "$work/client"
fetch_same "$work/client-same"
curl --disable --silent --noproxy '' --proxy "http://$address" --output /dev/null "$site/search?n=[1-400]&q=zzz"
all_are_in() { (($(export_lines | wc -l) > 460)); }
wait_for 20 all_are_in || not_ok 'all is in the index'
try 'a table is written while it is recorded' export_to --format parquet -o "$work/running"
try 'and members' export_to --format zipnum -o "$work/running-members"
stop_recorder
"$VENV/bin/python" "$here/formats/make.py" "$T/collections/formats/archive/made.warc.gz"
try 'what another tool has made is added' "$WARCORDER" index --dir "$T/collections" --collection formats \
  "$T/collections/formats/archive/made.warc.gz"

export_to -o "$work/plain.cdxj"
export_to --format cdx11 -o "$work/plain.cdx"
try 'CDX is in the order of sort' env LC_ALL=C sort -c "$work/plain.cdx"
equal 'each line has 11 fields' "$(awk 'NR > 1 && NF != 11' "$work/plain.cdx" | wc -l)" 0
equal 'CDX has a line for each' "$(wc -l <"$work/plain.cdx")" "$(($(wc -l <"$work/plain.cdxj") + 1))"
try 'in members' export_to --format zipnum --part-lines 100 -o "$work/members"
try 'more than one part' test -e "$work/members/cdx-00001.gz"
equal 'the members have the lines of CDXJ' "$(cat "$work"/members/cdx-*.gz | gzip -dc | sha256sum)" \
  "$(sha256sum <"$work/plain.cdxj")"
try 'in members as a WACZ has them' export_to --format zipnum --zipnum wacz -o "$work/wacz"
equal 'they have the lines too' "$(gzip -dc "$work/wacz/index.cdx.gz" | sha256sum)" "$(sha256sum <"$work/plain.cdxj")"
cat >"$work/config.yaml" <<EOF
collections:
  plain: {index_paths: $work/plain.cdxj, archive_paths: $archive/}
  cdx11: {index_paths: $work/plain.cdx, archive_paths: $archive/}
  zipnum:
    index: {type: zipnum, path: $work/members/cluster.idx}
    archive_paths: $archive/
EOF
collection=zipnum start_pywb "$work"
"$VENV/bin/python" "$here/formats/pywb.py" "${pywb%/*}" "$site/search" "$site/echo" \
  http://xn--bcher-kva.example/a http://nowhere.example/x || not_ok 'pywb.py broke off'
equal 'pywb replays by an index in members' "$(curl --disable --silent --noproxy '*' \
  "$pywb/2026id_/https://me.github.io/")" '<p>5'

try 'a table' export_to --format parquet --part-lines 150 -o "$work/table"
try 'of more than one part' test "$(find "$work/table" -name '*.parquet' | wc -l)" -gt 1
"$tables" "$here/formats/table.py" same "$work/table" formats "$work/plain.cdxj" || not_ok 'table.py same broke off'
"$tables" "$here/formats/table.py" query "$work/table" formats || not_ok 'table.py query broke off'
if export_to --format parquet -o "$work/table"; then not_ok 'a second table of the same name'; else
  ok 'a second table of the same name is refused'
fi
if [[ ${CI_LONG-} == 1 ]]; then
  "$FORMATS_SPARK/bin/python" "$here/formats/spark.py" "$work/table" >"$work/spark" 2>>"$T/formats.log" \
    || not_ok 'Spark broke off'
  equal 'Spark counts the rows of all partitions' "$(head -n 1 "$work/spark")" "rows $(wc -l <"$work/plain.cdxj")"
  try 'and finds the partition' grep -q '^formats warc 200 ' "$work/spark"
fi

# A table in a bucket, which is brought up to date.
start_storage "$work/store" tables
of_collection() { "$WARCORDER" "$1" --dir "$T/collections" --collection formats "${@:2}" 2>>"$T/formats.log"; }
pushed() {
  of_collection export -o "$work/pushed.cdxj"
  "$tables" "$here/formats/pushed.py" "$AWS_ENDPOINT_URL" tables/index "$work/pushed.cdxj" "$work/$1" \
    || not_ok 'pushed.py broke off'
}
try 'a table is pushed to a bucket' of_collection push --to parquet s3://tables/index
pushed copy
try 'something is removed' of_collection remove --url "$site/search" --match prefix --yes
try 'which the next push takes out' of_collection push --to parquet s3://tables/index
pushed copy-without
try 'fewer rows are left' test "$(wc -l <"$work/pushed.cdxj")" -lt 200
