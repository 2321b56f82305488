"""pushed.py ENDPOINT BUCKET/PREFIX CDXJ [COPY]: what pyarrow reads of a table in a bucket, and DuckDB in a
copy of it, beside the lines of an export. The order of rows across parts is nobody's.
"""
import json
import os
import sys

import duckdb
import pyarrow.dataset
import pyarrow.fs


def judge(name, got, want):
    print(f"ok - {name}" if got == want else f"not ok - {name}: {str(got)[:300]}, not {str(want)[:300]}")


endpoint, place, cdxj = sys.argv[1:4]
want = []
for line in open(cdxj, encoding="utf-8"):
    key, _, text = line.rstrip("\n").split(" ", 2)
    said = json.loads(text)
    want.append((key, said["url"], said["filename"], int(said["offset"])))
scheme, _, address = endpoint.partition("://")
bucket = pyarrow.fs.S3FileSystem(
    endpoint_override=address, scheme=scheme, region="us-east-1",
    access_key=os.environ["AWS_ACCESS_KEY_ID"], secret_key=os.environ["AWS_SECRET_ACCESS_KEY"])
data = pyarrow.dataset.dataset(place, filesystem=bucket, format="parquet", partitioning="hive")
judge("pyarrow counts the rows in the bucket", data.count_rows(), len(want))
columns = ["url_surtkey", "url", "warc_filename", "warc_record_offset"]
read = data.to_table()
judge("they are the lines of the export", sorted(zip(*(read[c].to_pylist() for c in columns))), sorted(want))
judge("the partitions are columns", read["subset"].unique().to_pylist(), ["warc"])
if len(sys.argv) > 4:
    pyarrow.fs.copy_files(place, sys.argv[4], source_filesystem=bucket)
    rows = duckdb.connect().execute(
        f"SELECT {', '.join(columns)} FROM read_parquet('{sys.argv[4]}/**/*.parquet', hive_partitioning = true)")
    judge("DuckDB reads the same in a copy", sorted(rows.fetchall()), sorted(want))
