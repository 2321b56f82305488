#!/usr/bin/env python3
"""Holds the records of one WARC file against those of another, apart from identities and dates.

    same.py ONE OTHER

Each exchange is a request and a response; the two files have them in any order.
"""
import hashlib
import sys

from warcio.archiveiterator import ArchiveIterator

CHANGING = {"warc-record-id", "warc-date", "warc-concurrent-to", "warc-warcinfo-id", "warc-block-digest",
            "warc-refers-to", "warc-refers-to-date", "warc-filename", "content-length", "warc-ip-address"}


def records(path):
    found = []
    with open(path, "rb") as file:
        for record in ArchiveIterator(file, no_record_parse=True):
            kind = record.rec_type
            if kind in ("warcinfo", "metadata"):
                continue
            head = sorted((name.lower(), value) for name, value in record.rec_headers.headers
                          if name.lower() not in CHANGING)
            block = record.raw_stream.read()
            lines, _, body = block.partition(b"\r\n\r\n")
            lines = [line for line in lines.split(b"\r\n") if not line.lower().startswith(b"date:")]
            found.append((kind, tuple(head), b"\r\n".join(lines), hashlib.sha256(body).hexdigest()))
    return sorted(found)


def main():
    one, other = records(sys.argv[1]), records(sys.argv[2])
    if one and one == other:
        print(f"ok - {len(one)} records of Windows are those of Linux to the byte, but for identities and dates")
        return
    for ours, theirs in zip(one, other):
        if ours != theirs:
            print(f"not ok - Windows has {str(ours)[:700]}, Linux {str(theirs)[:700]}")
            return
    print(f"not ok - Windows has {len(one)} records, and Linux {len(other)}")


main()
