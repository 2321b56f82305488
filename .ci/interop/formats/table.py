"""table.py same|query: what DuckDB and pyarrow read in a table, beside the lines of the export.

same TABLE NAME CDXJ    each row says what its line says; the partitions are columns
query TABLE NAME        statements as Common Crawl's table is asked, in DuckDB
"""
import datetime
import json
import sys
from urllib.parse import urlsplit

import duckdb
import pyarrow.compute
import pyarrow.dataset


def judge(name, got, want):
    print(f"ok - {name}" if got == want else f"not ok - {name}: {str(got)[:300]}, not {str(want)[:300]}")


def row_of(line):
    """What a line says, in the columns that do not need the list of suffixes."""
    key, ts, text = line.split(" ", 2)
    said = json.loads(text)
    url = said["url"]
    parts = urlsplit(url)
    number = lambda name: int(said[name]) if name in said else None
    host = parts.netloc.rpartition("@")[2]
    port = None
    if host.rpartition("]")[2].rpartition(":")[1]:
        host, _, port = host.rpartition(":")
    if parts.scheme == "dns":
        host = parts.path
    return {
        "url_surtkey": key, "url": url, "url_host_name": host.lower() or None,
        "url_protocol": parts.scheme or None, "url_port": int(port) if port else None,
        "url_path": parts.path if parts.netloc else None,
        "url_query": parts.query if "?" in url else None,
        "fetch_time": datetime.datetime.strptime(ts, "%Y%m%d%H%M%S").replace(tzinfo=datetime.timezone.utc),
        "fetch_status": number("status"), "content_mime_type": said.get("mime"),
        "content_digest": said["digest"].partition(":")[2] if "digest" in said else None,
        "warc_filename": said.get("filename"), "warc_record_offset": number("offset"),
        "warc_record_length": number("length"),
    }


def same(table, name, cdxj):
    lines = open(cdxj, encoding="utf-8").read().splitlines()
    want = [row_of(line) for line in lines]
    data = pyarrow.dataset.dataset(table, format="parquet", partitioning="hive")
    read = data.to_table()
    judge("pyarrow has as many rows as there are lines", read.num_rows, len(lines))
    judge("pyarrow has the partitions as columns",
          [read["crawl"].unique().to_pylist(), read["subset"].unique().to_pylist()], [[name], ["warc"]])
    got = read.select(list(want[0])).to_pylist()
    odd = [(g, w) for g, w in zip(got, want) if g != w]
    judge("each row says what its line says, in pyarrow", odd[:1], [])
    db = duckdb.connect()
    db.execute(f"CREATE VIEW t AS FROM read_parquet('{table}/*/*/*.parquet', hive_partitioning = true)")
    columns = ", ".join(c if c != "fetch_time" else "epoch(fetch_time)::BIGINT" for c in want[0])
    got = db.execute(f"SELECT {columns} FROM t").fetchall()
    for w in want:
        w["fetch_time"] = int(w["fetch_time"].timestamp())
    judge("each row says what its line says, in DuckDB", sorted(map(str, got)),
          sorted(str(tuple(w.values())) for w in want))
    judge("POSTs, revisits, IP addresses, ports, names of other alphabets are among them",
          db.execute("""SELECT count(*) FILTER (url_surtkey LIKE '%__wb_method=post%') > 0,
            count(*) FILTER (content_mime_type = 'warc/revisit') > 0,
            count(*) FILTER (url_host_name = '192.0.2.7' AND url_host_tld IS NULL) > 0,
            count(*) FILTER (url_port = 8443) > 0, count(*) FILTER (url_host_name LIKE 'xn--%') > 0,
            count(*) FILTER (url_protocol = 'dns') FROM t""").fetchone(), (True,) * 5 + (1,))
    names = dict(db.execute("SELECT column_name, column_type FROM (DESCRIBE t)").fetchall())
    judge("30 columns and two partitions", len(names), 32)
    judge("types", [names[c] for c in ("url_port", "fetch_time", "fetch_status", "warc_record_offset")],
          ["INTEGER", "TIMESTAMP WITH TIME ZONE", "SMALLINT", "BIGINT"])
    meta = db.execute(f"""SELECT min(stats_min_value), max(stats_max_value) FROM
        parquet_metadata('{table}/*/*/*.parquet') WHERE path_in_schema = 'url_surtkey'""").fetchone()
    keys = [w["url_surtkey"] for w in want]
    judge("the least and greatest keys stand in the file", meta, (min(keys), max(keys)))


def query(table, name):
    db = duckdb.connect()
    db.execute("CREATE SCHEMA ccindex")
    db.execute(f"""CREATE VIEW ccindex.ccindex AS
        FROM read_parquet('{table}/*/*/*.parquet', hive_partitioning = true)""")
    for what, sql, want in [
        ("captures of each partition", 'SELECT crawl, subset, count(*) > 20 FROM "ccindex"."ccindex" GROUP BY 1, 2',
         [(name, "warc", True)]),
        ("domains of a top-level domain", f"""SELECT url_host_registered_domain, count(*)
            FROM "ccindex"."ccindex" WHERE crawl = '{name}' AND subset = 'warc' AND url_host_tld = 'uk'
            GROUP BY 1 HAVING count(*) >= 1""", [("news.co.uk", 1)]),
        ("a private suffix", """SELECT url_host_registry_suffix, url_host_registered_domain,
            url_host_private_suffix, url_host_private_domain, url_host_name_reversed FROM ccindex.ccindex
            WHERE url_host_2nd_last_part = 'github'""",
         [("io", "github.io", "github.io", "me.github.io", "io.github.me")]),
        ("parts of a host", """SELECT url_host_tld, url_host_2nd_last_part, url_host_3rd_last_part,
            url_host_4th_last_part, url_host_5th_last_part FROM ccindex.ccindex WHERE url_path = '/deep'""",
         [("org", "example", "e", "d", "c")]),
        ("what is in no list has no suffix", """SELECT DISTINCT url_host_tld, url_host_registry_suffix,
            url_host_registered_domain FROM ccindex.ccindex WHERE url_host_name = 'localhost'""",
         [("localhost", None, None)]),
    ]:
        judge(f"DuckDB: {what}", db.execute(sql).fetchall(), want)


{"same": same, "query": query}[sys.argv[1]](*sys.argv[2:])
