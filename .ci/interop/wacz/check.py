"""What a WACZ of ours holds, read by tools that others wrote.

    check.py captures WARCIO WACZ FOLDER    its index against cdxj-indexer's and warcio.js's over the
                                            WARC files in it, which are put into FOLDER
    check.py pages WACZ...                  the URLs of the pages of status 200
    check.py together EXPORT WACZ...        the captures of the parts are those of an export
    check.py text WACZ URL                  the text of a page
    check.py form WACZ                      how the zip archive is made
    check.py middle WACZ                    the URL of a page with a title, from the middle of the file

WARCIO is warcio.js's command line.
"""
import gzip
import json
import os
import subprocess
import sys
import zipfile
from concurrent.futures import ThreadPoolExecutor

BIN = os.path.dirname(sys.executable)


def report(name, problem=""):
    print(f"not ok - {name}: {str(problem)[:600]}" if problem else f"ok - {name}")


def parse(lines):
    """The lines of an index as (urlkey, timestamp, fields)."""
    for line in lines:
        key, stamp, fields = line.rstrip("\n").split(" ", 2)
        yield key, stamp, json.loads(fields)


def split(text):
    """The lines of a text. splitlines would break a line at a U+0085 in a body of random bytes, too."""
    return text.decode().removesuffix("\n").split("\n")


def index(wacz):
    """The lines of the index of a WACZ; of one in members, each by its place in the list."""
    with zipfile.ZipFile(wacz) as archive:
        names = archive.namelist()
        if "indexes/index.cdxj" in names:
            return split(archive.read("indexes/index.cdxj"))
        members = archive.read("indexes/index.cdx.gz")
        lines = []
        for entry in archive.read("indexes/index.idx").decode().splitlines()[1:]:
            at = json.loads(entry[entry.index(" {"):])
            block = gzip.decompress(members[at["offset"]:at["offset"] + at["length"]])
            assert block.decode().startswith(entry[:entry.index(" {")].split(" ~")[0])
            lines += split(block)
        return lines


def captures(warcio, wacz, folder):
    name = os.path.basename(wacz)
    with zipfile.ZipFile(wacz) as archive:
        warcs = [archive.extract(n, folder) for n in archive.namelist() if n.startswith("archive/")]
    lines = index(wacz)
    report(f"{name}: the index is sorted", "" if lines == sorted(lines, key=str.encode) else "it is not")
    ours = {(f["filename"], f["offset"]): (key, stamp, f) for key, stamp, f in parse(lines)}
    judges = {"cdxj-indexer": [f"{BIN}/cdxj-indexer"],
              "warcio.js": ["node", warcio, "cdx-index", "--format", "cdxj"]}
    def said(one):
        return subprocess.run(one, capture_output=True, text=True, check=True).stdout

    # Each reads a file in a process of its own, as many at once as there are processors.
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = {judge: [(warc, pool.submit(said, [*command, warc])) for warc in warcs]
                 for judge, command in judges.items()}
    for judge, indexed in found.items():
        theirs = {}
        for warc, lines_of in indexed:
            for key, stamp, f in parse(line for line in lines_of.result().split("\n") if " {" in line):
                theirs[os.path.basename(warc), str(f["offset"])] = (key, stamp, f)
        wrong = [place for place in ours if place not in theirs]
        # what has no line here: 304s, and parts of what is there
        left = [f for place, (_, _, f) in theirs.items()
                if place not in ours and str(f.get("status")) not in ("304", "206")]
        differs = []
        for place in ours.keys() & theirs.keys():
            (key, stamp, f), (their_key, their_stamp, t) = ours[place], theirs[place]
            same = (f["url"], stamp, f["length"]) == (t["url"], their_stamp, str(t["length"]))
            # The index is in warcio.js's dialect. It takes random bytes apart in another way than JSON
            # can say, and chunks for what they hold.
            if judge == "warcio.js" and "/form" not in f["url"]:
                same &= (key, f.get("requestBody")) == (their_key, t.get("requestBody"))
            if not same:
                differs.append((key, stamp, f, their_key, their_stamp, t))
        report(f"{name}: {len(ours)} captures are those that {judge} finds",
               wrong[:3] or left[:3] or differs[:2])


def pages(*files):
    for file in files:
        with zipfile.ZipFile(file) as archive:
            for line in archive.read("pages/pages.jsonl").decode().splitlines()[1:]:
                print(json.loads(line)["url"])


def together(export, *files):
    """Each capture of the export is in one of the parts, an original in several. A part of a body has a
    line of its own where its whole is in another."""
    def what(lines):
        return {(f["url"], stamp, f.get("digest"), f.get("status")) for _, stamp, f in parse(lines)}
    with open(export, encoding="utf-8") as lines:
        want = what(lines)
    got = set().union(*(what(index(file)) for file in files))
    report(f"{len(files)} parts have the {len(want)} captures of the collection",
           sorted(map(str, (want - got) | {c for c in got - want if c[3] != "206"}))[:3])


def text(file, url):
    with zipfile.ZipFile(file) as archive:
        for line in archive.read("pages/pages.jsonl").decode().splitlines()[1:]:
            page = json.loads(line)
            if page["url"] == url:
                print(" ".join(page["text"].split()))
                return


def form(file):
    with zipfile.ZipFile(file) as archive:
        deflated = [i.filename for i in archive.infolist() if i.compress_type != zipfile.ZIP_STORED]
        report(f"{os.path.basename(file)}: nothing is deflated, every checksum is right",
               deflated or archive.testzip())


def middle(file):
    with zipfile.ZipFile(file) as archive:
        begins = {os.path.basename(i.filename): i.header_offset for i in archive.infolist()}
    half = os.path.getsize(file) // 2
    titled = (f for _, _, f in parse(index(file)) if "/titled/" in f["url"])
    print(min(titled, key=lambda f: abs(begins[f["filename"]] + int(f["offset"]) - half))["url"])


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
