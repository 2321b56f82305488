"""The checks of revisits.sh. Like check.py.

    revisits.py records LOG ARCHIVE CDXJ       revisits where a body came again, each naming its original
    revisits.py replay LOG ARCHIVE CDXJ URL    what pywb replays == the origin's bytes, by SHA-1
"""
import base64
import collections
import hashlib
import http.client
import json
import re
import sys
import urllib.parse

import warcs
from check import blocks, decoded, read_cdxj, report

PROFILE = "http://netpreserve.org/warc/1.1/revisit/"
SMALL = 2048  # bytes: such bodies are not looked up, for the recorder's --dedup-min-size
SAME, UNCHANGED = PROFILE + "identical-payload-digest", PROFILE + "server-not-modified"


def origin(log):
    """What the origin sent last for each URL with 200, but for chunks: the site sends the same each time."""
    sent = {}
    with open(log) as lines:
        for x in map(json.loads, lines):
            response = base64.b64decode(x["response"])
            if response.startswith(b"HTTP/1.1 200 "):
                path = base64.b64decode(x["request"]).split(b" ")[1].decode()
                sent[x["scheme"], path] = warcs.entity(response)
    return sent


def sent_for(url, sent):
    parts = urllib.parse.urlsplit(url)
    return sent[parts.scheme, parts.path + ("?" + parts.query if parts.query else "")]


def field(head, name):
    found = re.search(rb"(?im)^" + name + rb":[ \t]*(.*?)[ \t]*\r?$", head)
    return found[1].lower() if found else None


def like(record):
    """What a revisit and its original must have in common beside the body."""
    return record.head.split(b" ", 2)[1], field(record.head, b"Transfer-Encoding"), field(
        record.head, b"Content-Encoding")


def check_records(log, archive, cdxj):
    sent = origin(log)
    stored, problems = blocks(archive)
    report("revisits: the files are whole", problems)
    records = sorted(stored.items(), key=lambda at: (at[0][0], int(at[0][1])))
    by_id = {r.get("WARC-Record-ID"): r for _, r in records}
    requests = {r.get("WARC-Concurrent-To"): r for _, r in records if r.type == "request"}
    lines = {(f["filename"], f["offset"]): f for _, _, f in read_cdxj(cdxj)}

    problems, counts, kinds = [], collections.Counter(), set()
    for where, r in records:
        if r.type != "revisit":
            continue
        counts[r.get("WARC-Profile")] += 1
        original = by_id.get(r.get("WARC-Refers-To"))
        if original is None or original.type != "response" or (original.path,
                                                               original.offset) == (r.path,
                                                                                    r.offset):
            problems.append(f"{r}: refers to {original}")
            continue
        if r.get("WARC-Profile") == SAME:
            kinds.add(like(r)[1:])
        want = {
            "WARC-Refers-To-Target-URI": original.get("WARC-Target-URI"),
            "WARC-Refers-To-Date": original.get("WARC-Date"),
            "WARC-Payload-Digest": original.get("WARC-Payload-Digest"),
            "Content-Type": "application/http; msgtype=response"
        }
        if r.get("WARC-Profile") == SAME:
            want["WARC-Truncated"] = "length"
        got = {name: re.sub("; *", "; ", r.get(name) or "") for name in want}
        if got != want:
            problems.append(f"{r}: {got}, want {want}")
        if r.get("WARC-Profile") == SAME and (like(r) != like(original) or sent_for(
                r.get("WARC-Target-URI"), sent) != warcs.entity(original.block)):
            problems.append(f"{r}: the body is not that of {original}")
        if r.get("WARC-Profile") == UNCHANGED and (like(r)[0] != b"304"
                                                   or original.get("WARC-Target-URI")
                                                   != r.get("WARC-Target-URI")):
            problems.append(f"{r}: {r.head[:20]} of {original}")
        if r.block != r.head or not r.block.endswith(b"\r\n\r\n"):
            problems.append(f"{r}: its block is no HTTP header")
        if r.get("WARC-Record-ID") not in requests:
            problems.append(f"{r}: no request")
        line = lines.get(where, {})
        if (line.get("mime"), line.get("digest"),
                line.get("url")) != ("warc/revisit", original.get("WARC-Payload-Digest"),
                                     r.get("WARC-Target-URI")):
            problems.append(f"{r}: its line is {line}")
    problems += [f"profile {name}" for name in counts if name not in (SAME, UNCHANGED)]
    problems += [f"no revisit {name}" for name in (SAME, UNCHANGED) if not counts[name]]
    problems += [
        f"no revisit with Transfer-Encoding, Content-Encoding {kind}"
        for kind in ((None, None), (None, b"gzip"), (b"chunked", None), (b"chunked", b"gzip"))
        if kind not in kinds
    ]
    report(
        f"{counts[SAME]} revisits name an original with the same body, status and encodings, "
        f"{counts[UNCHANGED]} one that has not changed",
        problems)

    bodies = collections.defaultdict(list)
    for _, r in records:
        if r.type == "response" and r.is_http and r.size > len(r.head) + SMALL and r.head.split(
                b" ", 2)[1] == b"200":
            bodies[like(r), hashlib.sha1(warcs.entity(r.block)).hexdigest()].append(r)
    # The first page's may have come side by side, the second's come later.
    twice = [r for same in bodies.values() for r in same if "/same/2/" in r.get("WARC-Target-URI")]
    report(f"of {len(bodies)} bodies none is kept a second time for another page", twice)


def check_replay(log, archive, cdxj, url):
    sent, parts = origin(log), urllib.parse.urlsplit(url)
    problems, counts = [], collections.Counter()
    captures = {(ts, f["url"], f.get("mime"), f.get("status"))
                for _, ts, f in read_cdxj(cdxj)
                if f["url"].startswith("http")}
    for ts, target, mime, status in sorted(captures, key=str):
        if mime != "warc/revisit" or any(
                m != mime for t, u, m, _ in captures if (t, u) == (ts, target)):
            continue
        connection = http.client.HTTPConnection(parts.netloc, timeout=20)
        connection.request("GET", f"{parts.path}/{ts}id_/{target}",
                           headers={"Accept-Encoding": "gzip"})
        response = connection.getresponse()
        got = response.read()
        connection.close()
        unchanged = (ts, target) in {(t, u) for t, u, _, s in captures if s == "304"}
        # pywb answers every revisit of status 3xx with that status and no body.
        want = (304, b"") if unchanged else (200, sent_for(target, sent))
        counts["unchanged" if unchanged else "same"] += 1
        plain = [
            decoded(body, coding)
            for body, coding in ((got, response.getheader("Content-Encoding")), (want[1], None))
        ]
        if response.status != want[0] or got != want[1] and plain[0] != decoded(
                want[1], "gzip" if want[1][:2] == b"\x1f\x8b" else None):
            problems.append(
                f"{ts} {target}: {response.status}, SHA-1 {hashlib.sha1(got).hexdigest()}, "
                f"want {want[0]}, {hashlib.sha1(want[1]).hexdigest()}"
            )
    report(
        f"pywb replays {counts['same']} revisits to the original's bytes, {counts['unchanged']} as not modified",
        problems if counts["same"] and counts["unchanged"] else ["too few"])


if __name__ == "__main__":
    globals()[f"check_{sys.argv[1]}"](*sys.argv[2:])
