"""judge.py NOTES CDXJ GAPS FOLDER: whether what clients have got is in WARC files, read by warcio, and
whether an index names exactly what these hold. A request names its exchange by its field X-Fleet.

A recorder that is killed may lose the last batch, which was not on disk, and says so: what is not there
has to lie in a gap of that recorder. GAPS has the lists of `warcorder gaps --json`, with %d for the
number of the recorder, from 1.
"""
import collections
import datetime
import glob
import hashlib
import json
import os
import sys

from warcio.archiveiterator import ArchiveIterator


def judge(name, wrong):
    wrong = list(wrong)
    print(f"ok - {name}" if not wrong else f"not ok - {name}: {len(wrong)}, such as {str(wrong[0])[:300]}")


notes_of, cdxj, gaps_of, folder = sys.argv[1:]
responses = {}  # record ID: its place, the SHA-256 of its body or None, what it refers to
by_uri = {}  # (URI, date): SHA-256 of a response's body
exchanges = collections.defaultdict(list)  # what X-Fleet says: response IDs
files = sorted(glob.glob(f"{folder}/**/*.warc.gz", recursive=True))
for path in files:
    with open(path, "rb") as stream:
        records = ArchiveIterator(stream)
        for record in records:
            headers = record.rec_headers
            kind, own = record.rec_type, headers["WARC-Record-ID"]
            if kind in ("response", "revisit", "resource"):
                digest, refers = None, None
                if kind != "revisit":
                    sha = hashlib.sha256()
                    while piece := record.content_stream().read(1 << 16):
                        sha.update(piece)
                    digest = sha.hexdigest()
                    by_uri[headers["WARC-Target-URI"], headers["WARC-Date"]] = digest
                else:
                    refers = headers["WARC-Refers-To-Target-URI"], headers["WARC-Refers-To-Date"]
                responses[own] = os.path.basename(path), records.get_record_offset(), digest, refers
            elif kind == "request":
                said = record.http_headers.get_header("X-Fleet")
                exchanges[said].append(headers["WARC-Concurrent-To"])
print(f"figure: warc_bytes_per_capture {sum(map(os.path.getsize, files)) // max(1, len(responses))}")



def seconds(time):
    return datetime.datetime.fromisoformat(time).timestamp()


crashes = collections.defaultdict(list)  # of each recorder: from, until
for number in range(3):
    for gap in json.load(open(gaps_of % (number + 1)))["latest"]:
        if gap["reason"] == "crash":
            crashes[number].append((seconds(gap["time"]), seconds(gap["until"])))


def told(note):
    # A gap begins with the last that the index was told, which is a second after others at most.
    return any(since - 1 <= note["ended"] <= until for since, until in crashes[note["recorder"]])


notes = [json.loads(line) for line in open(notes_of)]
whole = [note for note in notes if note["whole"]]
judge("every exchange of the plan came to its end", [] if len(whole) == int(os.environ["COUNT"]) else [len(whole)])
lost = [note for note in whole if not exchanges[note["id"]] and told(note)]
print(f"figure: last_batch_of_recorders_that_were_killed {len(lost)} of {len(whole)}, which their gaps tell")
judge("what that is, is a second of the load at most", lost if len(lost) > len(whole) / 100 else [])
gone = {note["id"] for note in lost}
whole = [note for note in whole if note["id"] not in gone]
judge(f"{len(whole)} exchanges that clients have got whole are in WARC files, each once",
      [note for note in whole if len(exchanges[note["id"]]) != 1 or exchanges[note["id"]][0] not in responses])


def body(note):
    _, _, digest, refers = responses.get(exchanges[note["id"]][0] if exchanges[note["id"]] else "", (0, 0, 0, 0))
    return digest or by_uri.get(refers)


judge("with the bytes that the client has got", [(note, body(note)) for note in whole if body(note) != note["sha256"]])
revisits = [place for place in responses.values() if place[3]]
judge(f"every one of {len(revisits)} revisits resolves in the union", [r for r in revisits if r[3] not in by_uri])
owner = {}
for name, _, digest, refers in responses.values():
    if digest:
        owner.setdefault(digest, name.split("-")[0])
across = sum(1 for name, _, _, refers in revisits
             if refers in by_uri and owner[by_uri[refers]] != name.split("-")[0])
judge(f"{across} of them refer to what another recorder has", [] if across > len(revisits) / 10 else [across])
indexed = collections.Counter()
for line in open(cdxj, encoding="utf-8"):
    said = json.loads(line.split(" ", 2)[2])
    indexed[said["filename"], int(said["offset"])] += 1
held = collections.Counter((name, offset) for name, offset, _, _ in responses.values())
judge("the union of the indexes is the union of the files", (indexed - held) + (held - indexed))
