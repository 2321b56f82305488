"""The checks of the interop run on what the recorder left behind. Each prints
`ok - NAME` or `not ok - NAME: why`; the exit status only tells whether it came
to its end.

    check.py records FILE...               whole records, in the order that readers need
    check.py verbatim LOG CLIENT FILE...   the origin's bytes == the record's == the client's
    check.py cdxj OURS THEIRS              our lines == cdxj-indexer's
    check.py replay CDXJ ARCHIVE URL       what pywb replays == the record's body
    check.py lines CDXJ ARCHIVE            each line points at the record that it names
    check.py parts ALL CDXJ ARCHIVE        CDXJ is ALL without 304s, and without parts whose whole is there
    check.py whole ALL CDXJ ARCHIVE URL    where such parts were, pywb shows the whole
    check.py big ARCHIVE URL LENGTH SHA1   one large body, streamed from its file
    check.py soak LEDGER CDXJ GAPS ARCHIVE the archive holds what the soak's clients saw
"""
import base64
import http.client
import json
import os
import re
import sys
import urllib.parse
import zlib
from collections import Counter, defaultdict

import warcs


def report(name, problems):
    problems = [str(p) for p in problems]
    more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
    print(f"not ok - {name}: {problems[0]}{more}" if problems else f"ok - {name}", flush=True)


def stream(files, problems):
    """The records of the files, one at a time; adds what keeps the rest from being read."""
    for file in files:
        try:
            for record in warcs.records(file):
                problems += [f"{record}: {p}" for p in record.problems]
                yield record
        except ValueError as problem:
            problems.append(problem)


def files(archive):
    """The WARC files of an archive, without the copies of what a recovery cut."""
    return sorted(os.path.join(archive, f) for f in os.listdir(archive) if ".torn" not in f)


def read(paths):
    """All records of the files that are kept, and what is wrong with the files."""
    problems = []
    return [record for record in stream(paths, problems) if record.keep], problems


def read_cdxj(path):
    with open(path, encoding="utf-8") as file:
        for line in file:
            key, timestamp, fields = line.rstrip("\n").split(" ", 2)
            yield key, timestamp, json.loads(fields)


def check_records(*files):
    problems, order, count = [], [], 0
    warcinfo, previous = {}, None
    for record in stream(files, problems):
        count += 1
        if record.path not in warcinfo:
            warcinfo[record.path] = record.get("WARC-Record-ID")
            if record.type != "warcinfo" or record.get("WARC-Filename") != os.path.basename(
                    record.path):
                order.append(f"{record}: the first record is no warcinfo of this file")
        elif record.get("WARC-Warcinfo-ID") != warcinfo[record.path]:
            order.append(f"{record}: WARC-Warcinfo-ID is not that of its file")
        if previous is not None and previous.type in ("response", "revisit"):
            if record.type != "request" or record.get("WARC-Concurrent-To") != previous.get(
                    "WARC-Record-ID"):
                order.append(f"{record}: not the request of the response before it")
            for name in "WARC-Target-URI", "WARC-Date":
                if record.get(name) != previous.get(name):
                    order.append(f"{record}: {name} differs from its response's")
        previous = record
    if previous is not None and previous.type in ("response", "revisit"):
        order.append(f"{previous}: no request follows")
    report(f"{count} records in {len(files)} files are whole, lengths and digests right", problems)
    report("warcinfo first in each file, each response followed by its request", order)


def resolved(records):
    """The HTTP message of each response, by where it lies: a revisit's with the body of the original that it names."""
    by_id = {r.get("WARC-Record-ID"): r for r in records}
    messages = {}
    for r in records:
        original = by_id.get(r.get("WARC-Refers-To")) if (
            r.get("WARC-Profile") or "").endswith("/identical-payload-digest") else None
        messages[os.path.basename(r.path),
                 str(r.offset)] = r.block + (original.block[len(original.head):]
                                             if original else b"")
    return messages


def check_verbatim(log, client, *files):
    with open(log) as lines:
        exchanges = [json.loads(line) for line in lines]
    for x in exchanges:
        for part in "request", "interim", "response":
            x[part] = base64.b64decode(x[part])

    found, _ = read(files)
    messages = resolved(found)
    schemes = {x["scheme"] for x in exchanges}  # behind a parent that writes HTTP anew, https alone
    kept = [(request.get("WARC-Target-URI").split(":")[0].replace("ws", "http"), request.block,
             messages[os.path.basename(response.path),
                      str(response.offset)])
            for response, request in zip(found, found[1:])
            if response.type in ("response", "revisit") and request.type == "request"]
    unlogged = re.compile(rb"\S+ /(load|big)[/ ]")
    kept = [one for one in kept if one[0] in schemes and not unlogged.match(one[1])]
    want = Counter((x["scheme"], x["request"], x["response"]) for x in exchanges)
    got = Counter(kept)

    def shown(counter, what):
        for scheme, request, response in counter:
            yield f"{scheme} {request.split(maxsplit=2)[:2]}, {len(request)} and {len(response)} bytes, {what}"

    report(f"{len(exchanges)} exchanges of the origin's log are in the records, byte for byte",
           shown(want - got, "not in the WARC as the origin saw it"))
    report("the records hold no other exchange", shown(got - want, "not in the origin's log"))

    # The first of a name is the client's: the recorder asks for wholes with the client's own fields.
    by_name = {x["name"]: x for x in reversed(exchanges) if x["name"]}
    names = sorted(os.listdir(client))
    problems = []
    for name in names:
        with open(os.path.join(client, name), "rb") as file:
            got = file.read()
        x = by_name.get(name)
        if x is None:
            problems.append(f"{name}: the origin has not seen it; the client got {got[:60]!r}")
        elif got != x["interim"] + x["response"]:
            problems.append(
                f"{name}: the client got {got[:200]!r}, the origin sent {(x['interim'] + x['response'])[:200]!r}"
            )
    report(f"curl got what the origin sent, byte for byte, {len(names)} times", problems)


def check_cdxj(ours, theirs):
    fields = "url", "mime", "status", "digest", "length"

    def load(path):
        return {(f["filename"], f["offset"]): (key, timestamp, f)
                for key, timestamp, f in read_cdxj(path)}

    ours, theirs = load(ours), load(theirs)
    missing = [
        f"only in {name}: {a[where][:2]} at {where}" for name, a, b in (("ours", ours, theirs),
                                                                        ("theirs", theirs, ours))
        for where in a if where not in b
    ]
    report(f"the same {len(theirs)} captures as cdxj-indexer's, by file name and offset", missing)

    problems, gets = [], 0
    for where in ours.keys() & theirs.keys():
        (key, timestamp, f), (their_key, their_timestamp, their_f) = ours[where], theirs[where]
        pairs = [("timestamp", timestamp, their_timestamp)] + [(n, f.get(n), their_f.get(n))
                                                               for n in fields]
        if "method" not in f:  # cdxj-indexer keys only POST and PUT apart, and only with -p
            gets += 1
            pairs.append(("key", key, their_key))
        problems += [f"{f['url']}: {n} is {a!r}, theirs {b!r}" for n, a, b in pairs if a != b]
        problems += [
            f"{f['url']}: {n} is no string" for n, v in f.items() if not isinstance(v, str)
        ]
    report(
        f"equal to cdxj-indexer's in timestamp, {', '.join(fields)}, and the key of {gets} GET captures",
        problems)


def blocks(archive):
    found, problems = read(files(archive))
    return {(os.path.basename(r.path), str(r.offset)): r for r in found}, problems


def decoded(body, coding):
    if coding == "br":
        import brotli
        return brotli.decompress(body)
    return zlib.decompress(body, 47) if coding in ("gzip", "deflate") else body


def check_replay(cdxj, archive, url):
    stored, _ = blocks(archive)
    messages = resolved(stored.values())
    captures = defaultdict(list)  # pywb finds a capture by its URL and second
    for _, timestamp, f in read_cdxj(cdxj):
        record = stored[f["filename"], f["offset"]]
        if record.type == "resource" or "method" in f or f[
                "status"] == "101" or b"\r\nTrailer:" in record.head:
            continue  # warcio's chunk reader, and so pywb, takes a trailer for a part of the body
        captures[timestamp, f["url"]].append(
            (f["status"], warcs.entity(messages[f["filename"], f["offset"]])))
    parts = urllib.parse.urlsplit(url)
    problems = []
    for (timestamp, target), candidates in captures.items():
        connection = http.client.HTTPConnection(parts.netloc, timeout=20)
        connection.request("GET", f"{parts.path}/{timestamp}id_/{target}",
                           headers={"Accept-Encoding": "gzip, deflate, br"})
        response = connection.getresponse()
        body, coding = response.read(), response.getheader("Content-Encoding")
        plain = decoded(body, coding)
        if not any(
                str(response.status) == status and
            (body == want or plain == want or plain == decoded(want, coding))
                for status, want in candidates):
            problems.append(
                f"{timestamp} {target}: {response.status}, {len(body)} bytes, {coding}, "
                f"want {[(s, len(b)) for s, b in candidates]}"
            )
        connection.close()
    report(f"pywb replays {len(captures)} GET captures, identity",
           problems if captures else ["there are none"])


def check_lines(cdxj, archive):
    stored, problems = blocks(archive)
    lines = 0
    for _, _, f in read_cdxj(cdxj):
        lines += 1
        record = stored.get((f["filename"], f["offset"]))
        if record is None or (str(record.length), record.get("WARC-Target-URI"),
                              record.get("WARC-Payload-Digest")) != (f["length"], f["url"],
                                                                     f["digest"]):
            problems.append(f"{f} points at {record}")
    captures = sum(r.type in ("response", "revisit", "resource") for r in stored.values())
    if lines != captures:
        problems.append(f"{lines} lines for {captures} captures")
    report(f"{lines} lines of the index point at the records that they name, and none is left out",
           problems)


def entity_of(record):
    """The tag, or else the date, of the version that a response has; None if it has neither."""
    for name in rb"ETag", rb"Last-Modified":
        found = re.search(rb"(?im)^" + name + rb":[ \t]*(?:W/)?(.*?)[ \t]*\r?$", record.head)
        if found and found[1]:
            return found[1]
    return None


def is_all(record):
    """Whether a part is all of its entity."""
    found = re.search(rb"(?im)^Content-Range: *bytes 0-(\d+)/(\d+)\r?$", record.head)
    return found is not None and int(found[1]) + 1 == int(found[2])


def wholes(lines, stored):
    """For each part its wholes: of both the line and the record."""
    known = [(key, f, stored[f["filename"], f["offset"]]) for key, _, f in lines]
    whole = defaultdict(list)
    for key, f, record in known:
        cut = record.type == "response" and record.get("WARC-Truncated")
        if "method" not in f and not cut and (f.get("status") == "200"
                                              or f.get("status") == "206" and is_all(record)):
            whole[key].append((f, record))
    for key, f, record in known:
        if f.get("status") == "206" and "method" not in f:
            yield f, record, [(w, r) for w, r in whole[key]
                              if (w["status"] == "200" or not is_all(record)) and
                              (entity_of(r) == entity_of(record)
                               or None in (entity_of(r), entity_of(record)))]


def check_parts(every, cdxj, archive):
    stored, problems = blocks(archive)
    parts = {(f["filename"], f["offset"]) for f, _, of in wholes(read_cdxj(every), stored) if of}
    unchanged = 0
    with open(every, encoding="utf-8") as lines, open(cdxj, encoding="utf-8") as kept:
        want = []
        for line in lines:
            f = json.loads(line.split(" ", 2)[2])
            unchanged += f.get("status") == "304"
            if f.get("status") != "304" and (f["filename"], f["offset"]) not in parts:
                want.append(line)
        got = kept.readlines()
    if got != want:
        problems += sorted(set(got) ^ set(want)) or ["another order"]
    report(f"{unchanged} lines of 304s and {len(parts)} of parts of a whole are left out, and no other",
           problems)


def check_whole(every, cdxj, archive, url):
    stored, _ = blocks(archive)
    messages = resolved(stored.values())
    times = {(f["filename"], f["offset"]): timestamp for _, timestamp, f in read_cdxj(every)}
    parts, problems = urllib.parse.urlsplit(url), []
    asked = [(f, of) for f, _, of in wholes(read_cdxj(every), stored) if of]
    for f, of in asked:
        connection = http.client.HTTPConnection(parts.netloc, timeout=20)
        timestamp = times[f["filename"], f["offset"]]
        connection.request("GET", f"{parts.path}/{timestamp}id_/{f['url']}")
        response = connection.getresponse()
        body = response.read()
        want = [warcs.entity(messages[w["filename"], w["offset"]]) for w, _ in of]
        if response.status != 200 or body not in want:
            problems.append(f"{timestamp} {f['url']}: {response.status}, {len(body)} bytes")
        connection.close()
    report(f"pywb shows the whole for {len(asked)} parts",
           problems if asked else ["there are none"])


def check_big(archive, url, length, sha1):
    want, got = f"{length} bytes, sha1 {sha1}", []
    for file in files(archive):
        for record in warcs.records(file):
            if record.get("WARC-Target-URI") == url:
                got.append(
                    f"{record.size - len(record.head)} bytes, sha1 {record.payload.hexdigest()}")
    report(f"{url}: {want} in the WARC", [] if want in got else [f"found {got}"])


def hex_sha1(record):
    return record.payload.hexdigest()


def soak_records(archive, problems):
    """What the files hold of each URL: where its responses lie, and the digests of its requests."""
    responses, requests = defaultdict(list), defaultdict(list)
    for record in stream(files(archive), problems):
        url = record.get("WARC-Target-URI")
        if record.type == "response":
            place = os.path.basename(record.path), str(record.offset)
            status = int(record.head.split(b" ", 2)[1]) if record.head else 0
            facts = status, record.size - len(record.head), hex_sha1(record)
            responses[url].append((place, facts, record.get("WARC-Truncated")))
        elif record.type == "request":
            requests[url].append(hex_sha1(record))
    return responses, requests


def soak_problem(line, places, kept, requests):
    """Why the archive does not hold what the ledger's line says, or None."""
    responses = [(facts, truncated) for place, facts, truncated in kept if place in places]
    if len(places) != len(kept) or len(responses) != len(kept):
        return f"{len(kept)} responses, and {len(places)} lines of the index"
    most, least = (0 if line["kept"] == "never" else 1), (1 if line["kept"] in ("whole", "cut",
                                                                                "begun") else 0)
    if not least <= len(responses) <= most:
        return f"{len(responses)} times in the index"
    if line["kept"] == "cut" and responses[0][1] is None:
        return "not marked as truncated"
    if line["kept"] != "whole":
        return None
    want = line["status"], line.get("length", 0), line["response"]
    if responses[0] != (want, None):
        return f"{responses[0]} in the WARC, {want} at the client"
    if "request" in line and requests != [line["request"]]:
        return f"the request's payload is {requests}, {line['request']} at the client"
    return None


def check_soak(ledger, cdxj, gaps, archive):
    broken = []
    responses, requests = soak_records(archive, broken)
    report("soak: the files can be read to their ends", broken)
    places = defaultdict(list)
    for _, _, f in read_cdxj(cdxj):
        places[f["url"]].append((f["filename"], f["offset"]))
    with open(gaps) as file:
        gaps = json.load(file)
    in_list, all_listed = {g["url"]
                           for g in gaps["latest"]
                           }, len(gaps["latest"]) == sum(gaps["counts"].values())

    known, problems, unlisted, counts = set(), [], [], Counter()
    with open(ledger) as lines:
        for line in map(json.loads, lines):
            url, kept = line["url"], line["kept"]
            known.add(url)
            counts[kept] += 1
            problem = soak_problem(line, places.get(url, ()), responses.get(url, ()),
                                   requests.get(url, ()))
            if problem:
                problems.append(f"{kept} {url}: {problem}")
            if kept in ("cut", "failed") and url not in in_list:
                unlisted.append(url)
    problems += [
        f"{url} is in the index, and no client asked for it" for url in places.keys()
        | responses.keys() if url not in known and not url.startswith("urn:")
    ]
    report(
        f"soak: {counts['whole']} good exchanges are in WARC and index, each once, with the bytes that the client saw; "
        f"{counts['cut']} cut ones are marked, {counts['begun']} that the client left are there",
        problems if counts["whole"] else ["there are none"])
    if all_listed:
        report(
            f"soak: {counts['cut'] + counts['failed']} exchanges that the origin cut "
            "or did not answer are in the gap list",
            unlisted)
    elif sum(gaps["counts"].values()) < counts["cut"] + counts["failed"]:
        report("soak: the gap list counts what the origin cut or did not answer", [gaps["counts"]])
    else:
        report(
            f"soak: {sum(gaps['counts'].values())} gaps are counted, the newest {len(in_list)} listed",
            [])


if __name__ == "__main__":
    globals()[f"check_{sys.argv[1]}"](*sys.argv[2:])
