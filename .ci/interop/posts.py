"""The checks of posts.sh: the keys of requests with a body. Like check.py.

    posts.py keys OURS ARCHIVE PYWB INDEXER          our lines == pywb's == cdxj-indexer's, where they agree
    posts.py key OURS ARCHIVE WARCORDER [DIALECT]    `warcorder key` of each request == its line
    posts.py replay OURS ARCHIVE URL                 pywb answers each POST with what the origin answered
"""
import base64
import collections
import http.client
import json
import os
import re
import subprocess
import sys
import urllib.parse

import surt

import check
import warcs
from check import decoded, read, read_cdxj


def report(name, problems):
    check.report(name, [p if len(p) < 1000 else p[:700] + " … " + p[-300:] for p in problems])


class Request:
    """The request of one capture, from the record after its response."""
    def __init__(self, answer, record):
        self.answer = warcs.entity(answer)
        head = record.block[:warcs.HTTP_HEAD.search(record.block).end()].decode("latin-1")
        self.method = head.split(" ", 1)[0]
        fields = dict(re.findall(r"(?m)^([^:\s]+):[ \t]*(.*?)[ \t]*\r?$", head))
        fields = {name.lower(): value for name, value in fields.items()}
        self.type = fields.get("content-type", "")
        self.coding = fields.get("content-encoding")
        self.chunked = "chunked" in fields.get("transfer-encoding", "")
        self.body = warcs.entity(record.block)

    def __str__(self):
        return f"{self.method} {self.type.split(';')[0]}{' chunked' if self.chunked else ''} {self.body[:60]!r}"

    @property
    def kind(self):
        return f"{self.method} {self.type.split(';')[0]}{' chunked' if self.chunked else ''}".strip(
        )


def load(ours, archive):
    """Our lines with the requests that they stand for."""
    found, _ = read(check.files(archive))
    messages = check.resolved(found)
    requests = {
        where: Request(messages[where], b)
        for a, b in zip(found, found[1:])
        if (where := (os.path.basename(a.path),
                      str(a.offset))) in messages and a.type in ("response",
                                                                 "revisit") and b.type == "request"
    }
    for key, timestamp, f in read_cdxj(ours):
        if f["url"].startswith("urn:"):
            continue  # a resource record of ours
        yield key, timestamp, f, requests[f["filename"], f["offset"]]


def plain_json(value):
    """Whether cdxj-indexer writes it as we do: no booleans, no null, no floats."""
    if isinstance(value, dict):
        return all(map(plain_json, value.values()))
    if isinstance(value, list):
        return all(map(plain_json, value))
    return isinstance(value, str) or type(value) is int


def indexer_agrees(request):
    """Whether canon says that cdxj-indexer's key is ours."""
    if request.method == "GET":
        return True
    if request.method not in ("POST", "PUT"):
        return False  # cdxj-indexer gives these the key of a GET
    if request.type.startswith("application/json"):
        try:
            return plain_json(json.loads(request.body))
        except ValueError:
            return False
    return request.type.startswith("application/x-www-form-urlencoded")


def check_keys(ours, archive, pywb, indexer):
    lines = list(load(ours, archive))
    theirs = {
        name: {(f["filename"], f["offset"]): (key, f)
               for key, _, f in read_cdxj(path)}
        for name, path in (("pywb", pywb), ("cdxj-indexer", indexer))
    }

    agree, lost, identity, problems, kinds = [], [], [], [], collections.Counter()
    for key, _, f, request in lines:
        their_key, their_f = theirs["pywb"].get((f["filename"], f["offset"]), ("no line", {}))
        kinds[request.kind] += 1
        if request.method != f.get("method", "GET"):
            problems.append(f"{request}: method is {f.get('method')}")
        if request.chunked:  # pywb reads no body without Content-Length: a known difference
            if their_f.get("requestBody") or not f.get("requestBody"):
                lost.append(
                    f"{request}: pywb has {their_f.get('requestBody')!r}, we {f.get('requestBody')!r}"
                )
        else:
            for name, a, b in (("key", key, their_key), ("method", f.get("method"),
                                                         their_f.get("method")),
                               ("requestBody", f.get("requestBody"), their_f.get("requestBody"))):
                if a != b:
                    agree.append(f"{request}: {name} is {a!r}, pywb's {b!r}")
        url = f["url"]
        if "method" in f:
            url += ("&" if "?" in url else "?") + "__wb_method=" + f["method"]
            url += "&" + f["requestBody"] if f.get("requestBody") else ""
        if surt.surt(url) != key:
            identity.append(f"{request}: {key!r} is not {surt.surt(url)!r}")
    want = [
        "GET", "DELETE", "PUT application/json", "PUT application/octet-stream",
        "POST application/json chunked"
    ]
    want += [
        "POST " + t for t in ("application/json", "application/x-www-form-urlencoded",
                              "multipart/form-data", "text/plain", "application/octet-stream")
    ]
    report(
        "the requests are of every kind: " +
        ", ".join(f"{n} {kind}" for kind, n in sorted(kinds.items())),
        problems + [f"no {kind}" for kind in want if not kinds[kind]])
    report("pywb's indexer has the same key, method and requestBody", agree)
    report("known difference: pywb has no requestBody for a chunked request, we have", lost)
    report(f"SURT of the URL with method and requestBody is the key of {len(lines)} lines",
           identity)

    agree, differ = collections.Counter(), collections.Counter()
    problems = []
    for key, _, f, request in lines:
        their_key, their_f = theirs["cdxj-indexer"].get((f["filename"], f["offset"]),
                                                        ("no line", {}))
        same = key == their_key and f.get("requestBody") == (their_f.get("requestBody") or None)
        (agree if same else differ)[request.kind] += 1
        if not same and indexer_agrees(request):
            problems.append(
                f"{request}: {key!r} {f.get('requestBody')!r}, "
                f"cdxj-indexer's {their_key!r} {their_f.get('requestBody')!r}"
            )
    report(
        "cdxj-indexer has the same key and requestBody for GET, forms and JSON without booleans, null and floats",
        problems)
    print("# cdxj-indexer differs for " +
          ", ".join(f"{n} {kind}" for kind, n in sorted(differ.items())))


def check_key(ours, archive, warcorder, dialect="pywb"):
    lines = list(load(ours, archive))
    vectors = "".join(
        json.dumps({
            "id": n, "url": f["url"], "method": request.method, "content_type": request.type,
            "dialect": dialect, "body_base64": base64.b64encode(request.body).decode()
        }) + "\n" for n, (_, _, f, request) in enumerate(lines))
    done = subprocess.run([warcorder, "key", "--jsonl"], input=vectors, capture_output=True,
                          text=True, check=True)
    problems = []
    for n, text in enumerate(done.stdout.splitlines()):
        answer, (key, _, f, request) = json.loads(text), lines[n]
        if (answer["id"], answer["urlkey"]) != (n, key):
            problems.append(f"{request}: {answer['urlkey']!r}, exported {key!r}")
        if request.method != "GET" and answer.get("request_body", "") != f.get("requestBody", ""):
            problems.append(
                f"{request}: request_body {answer.get('request_body')!r}, exported {f.get('requestBody')!r}"
            )
    if len(done.stdout.splitlines()) != len(lines):
        problems.append(f"{len(done.stdout.splitlines())} answers")
    report(
        f"warcorder key --jsonl gives the {dialect} key and requestBody of {len(lines)} exported lines",
        problems)


def check_replay(ours, archive, url):
    parts = urllib.parse.urlsplit(url)
    captures = [line for line in load(ours, archive) if line[3].method in ("POST", "PUT")]
    answers = collections.defaultdict(set)
    for key, _, _, request in captures:
        answers[key].add(request.answer)
    # JSON that does not parse has the key of an empty body: nothing else may share one.
    problems = [
        f"{key}: {len(of_key)} answers" for key, of_key in answers.items()
        if len(of_key) > 1 and not key.endswith("__wb_method=post")
    ]
    kinds, replayed = collections.Counter(), set()
    for key, timestamp, f, request in captures:
        connection = http.client.HTTPConnection(parts.netloc, timeout=20)
        headers = {"Accept-Encoding": "identity"}
        if request.type:
            headers["Content-Type"] = request.type
        connection.request(request.method, f"{parts.path}/{timestamp}id_/{f['url']}",
                           body=request.body, headers=headers)
        response = connection.getresponse()
        got = decoded(response.read(), response.getheader("Content-Encoding"))
        kinds[request.kind] += 1
        replayed.add((f["url"], got))
        if response.status != 200 or got not in answers[key]:
            problems.append(f"{request}: {response.status} {got[:120]!r}, want {request.answer!r}")
        connection.close()
    if len(replayed) < len(answers):
        problems.append(f"{len(replayed)} different answers for {len(answers)} keys")
    report(
        f"pywb replays {len(answers)} requests, of {len({f['url'] for _, _, f, _ in captures})} URLs, "
        "each with the answer of its own: "
        + ", ".join(f"{n} {kind}" for kind, n in sorted(kinds.items())), problems)


if __name__ == "__main__":
    globals()[f"check_{sys.argv[1]}"](*sys.argv[2:])
