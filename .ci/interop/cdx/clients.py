"""The checks of cdx.sh by clients that record and replay. Like check.py.

    clients.py record PROXY PORTS COUNT          exchanges of every kind, with several hosts and ports; COUNT
                                                 tells how many
    clients.py load PROXY SITE STOP              8 clients fetch through the recorder until there is a file STOP
    clients.py replay PROXY SITE BASE...         what has just been recorded is what each of them shows; no POST
                                                 is asked of get:BASE
    clients.py revisits NAME FOLDER URL...       another recorder's files have a revisit of each URL, but of
                                                 -URL a response
"""
import datetime
import glob
import hashlib
import http.client
import json
import os
import sys
import threading
import time
import urllib.parse

from warcio.archiveiterator import ArchiveIterator

import origin

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from check import report  # noqa: E402


def ask(server, target, body=None, kind=None):
    """Status, fields and body of an answer."""
    connection = http.client.HTTPConnection(server, timeout=30)
    headers = {"Accept-Encoding": "identity"} | ({"Content-Type": kind} if kind else {})
    connection.request("POST" if body else "GET", target, body=body, headers=headers)
    response = connection.getresponse()
    got = response.read()
    connection.close()
    return response.status, response.headers, got


def sent(url, body=b""):
    """What the origin answers."""
    parts = urllib.parse.urlsplit(url)
    target = parts.path + ("?" + parts.query if parts.query else "")
    return origin.answer(parts.hostname, target, body)[2]


def record(proxy, ports, count):
    with open(ports) as file:
        ports = json.load(file)
    problems, exchanges = [], 0
    for host, port in (("example.test", "http"), ("www.example.test", "http"), ("sub.example.test", "http"),
                       ("deep.sub.example.test", "http"), ("example.test", "other"), ("other.test", "other")):
        site = f"http://{host}:{ports[port]}"
        for path in ("/", "/a", "/a/b?x=1&y=2", "/a/b?y=2&x=1", "/logo.png", "/same/1", "/same/2", "/same/1",
                     "/chunked", "/chunked", "/moved", "/missing", "/A/%7euser?q=%C3%A4"):
            status, _, body = ask(proxy, site + path)
            exchanges += 1
            if body != sent(site + path):
                problems.append(f"{site}{path}: {status}")
        for number in range(3):
            ask(proxy, site + "/post", *long_post(number))
            ask(proxy, site + "/post", b"a=%d&b=two+words" % number, "application/x-www-form-urlencoded")
            exchanges += 2
    with open(count, "w") as file:
        file.write(str(exchanges))
    report(f"the recorder passes on what the origin sends, {exchanges} times", problems)


def load(proxy, site, stop):
    counts, problems = [], []

    def client(number):
        count = 0
        while not os.path.exists(stop):
            url = f"{site}/load/{number}/{count}"
            status, _, body = ask(proxy, url)
            if status != 200 or body != sent(url):
                problems.append(f"{url}: {status}")
                break
            count += 1
        counts.append(count)

    clients = [threading.Thread(target=client, args=(n, )) for n in range(8)]
    for thread in clients:
        thread.start()
    for thread in clients:
        thread.join()
    if sum(counts) < 100:
        problems.append("too few")
    report(f"beside all this {sum(counts)} exchanges were recorded", problems)


def replayed(base, url, *body):
    """What a server shows of the URL, as it was last."""
    now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y%m%d%H%M%S")
    server = urllib.parse.urlsplit(base).netloc
    status, _, got = ask(server, f"{base}/{now}id_/{url}".split(server, 1)[1], *body)
    return status, got


def long_post(number):
    """A body whose canonical form is longer than pywb's 4096 characters, and what it is sent as."""
    words = [hashlib.sha256(f"{number} {n}".encode()).hexdigest() for n in range(400)]
    return json.dumps({"number": number, "words": words}).encode(), "application/json"


def fetch(proxy, url, *body):
    """Through the recorder, and until its CDX server has it: see client.py visible for how long it may take."""
    _, _, got = ask(proxy, url, *body)
    asked = {"url": url} | ({"matchType": "prefix"} if body else {})
    deadline = time.monotonic() + 10
    while not ask(proxy, "/cdx?" + urllib.parse.urlencode(asked))[2]:
        if time.monotonic() > deadline:
            break
        time.sleep(0.02)
    return got


def replay(proxy, site, *bases):
    pywbs = [base for base in bases if not base.startswith("get:")]
    bases = [base.removeprefix("get:") for base in bases]
    problems, checks = [], 0
    for path in ("/", "/logo.png", "/same/1", "/same/2", "/same/3", "/chunked/1", "/moved?", "/missing",
                 "/a//b/http://example.test/?c=d&e=%25") + tuple(f"/counter/{n}" for n in range(10)):
        url = site + path
        want = fetch(proxy, url)
        for base in bases:
            status, got = replayed(base, url)
            checks += 1
            if status != {"/missing": 404, "/moved?": 302}.get(path, 200) or got != want:
                problems.append(f"{base} {url}: {status}, {len(got)} bytes {got[:60]!r}")
    report(f"pages, revisits and chunks are replayed as the origin sent them, {checks} times, beside load",
           problems)

    # A pywb asks a CDX server by the URL alone, and takes of its lines one of a POST: of several POSTs to one
    # URL always the same.
    problems = []
    for number in range(3):
        url, (body, kind) = f"{site}/post/{number}", long_post(number)
        want = fetch(proxy, url, body, kind)
        for base in pywbs:
            status, got = replayed(base, url, body, kind)
            if (status, got) != (200, want):
                problems.append(f"{base} {number}: {status} {got[:80]!r}")
    report(f"POSTs of {len(long_post(0)[0])} bytes are replayed by pywb", problems)


def revisits(name, folder, *urls):
    found = {}
    for path in glob.glob(os.path.join(folder, "*.warc*")):
        with open(path, "rb") as file:
            for record in ArchiveIterator(file):
                if record.rec_type in ("response", "revisit"):
                    found.setdefault(record.rec_headers["WARC-Target-URI"], []).append(record)
    problems = []
    for url in urls:
        want = "response" if url.startswith("-") else "revisit"
        records = found.get(url.lstrip("-"), [])
        if [record.rec_type for record in records] != [want]:
            problems.append(f"{url}: {[record.rec_type for record in records]}")
        for record in records:
            named = record.rec_headers["WARC-Refers-To-Target-URI"], record.rec_headers["WARC-Refers-To-Date"]
            if want == "revisit" and (named[0] != url or not named[1]):
                problems.append(f"{url}: refers to {named}")
    report(name, problems)


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
