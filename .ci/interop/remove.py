"""Prints a line for each capture of an archive, by warcio: when, what, and the SHA-1 of the body that
it has, or that of the record that it refers to. A 304 has none, whatever it refers to.

    remove.py ARCHIVE
"""
import hashlib
import os
import sys

from warcio.archiveiterator import ArchiveIterator


def captures(archive):
    for name in sorted(os.listdir(archive)):
        if not name.endswith(".warc.gz"):
            continue
        with open(os.path.join(archive, name), "rb") as file:
            for record in ArchiveIterator(file, no_record_parse=False):
                if record.rec_type in ("response", "revisit"):
                    yield record.rec_headers, record.http_headers, record.raw_stream.read(), record.rec_type


bodies, lines = {}, []
for headers, http, body, kind in captures(sys.argv[1]):
    at = headers["WARC-Target-URI"], headers["WARC-Date"]
    status = http.get_statuscode()
    if kind == "response":
        bodies[at] = hashlib.sha1(body).hexdigest()
    refers = headers["WARC-Refers-To-Target-URI"], headers["WARC-Refers-To-Date"]
    lines.append((at, status, kind, refers, str(http)))
for at, status, kind, refers, head in sorted(lines):
    body = "-" if status == "304" else bodies[at if kind == "response" else refers]
    print(at[1], at[0], status, hashlib.sha1(head.encode()).hexdigest(), body)
