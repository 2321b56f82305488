"""What replayers lose of the recorded walks, as a table. Like check.py.

    peers.py count RECORDED REPLAYED    folders of walk.mjs: what is lost, one line each
    peers.py table SEEN SITE...         SEEN/SITE has such a folder for each replayer; ours has the least

A miss is a request of the replayed walk that did not get what the recorded one got, by the status
and by the SHA-256 of the body, as the browser has them; and a request of the recorded walk that the
replayed one never came to make. A request that chance has changed is held against the one to the
same path that it has most in common with. Steps are lost whose text differs, or that never come.
"""
import collections
import json
import os
import sys
import urllib.parse

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from check import report

# What a replayer that rewrites changes by design: its bodies of these types are not compared.
REWRITTEN = ("text/html", "text/css", "text/javascript", "application/javascript",
             "application/x-javascript", "application/vnd.apple.mpegurl", "application/x-mpegurl",
             "application/dash+xml")
REPLAYERS = ("warcorder", "pywb-proxy", "pywb", "replayweb", "mitmdump")


def exact(r):
    return r["method"], r["url"], r["sent"], r["range"]


def path_of(r):
    url = urllib.parse.urlsplit(r["url"])
    return r["method"], url.scheme, url.netloc, url.path


def is_wanted(r):
    """Not one that the page itself gave up: nobody can tell what its answer would have been."""
    return r["error"] != "net::ERR_ABORTED"


def nearest(r, requests):
    """Of the requests to the same path those that say most of what this one says."""
    candidates = [a for a in requests if path_of(a) == path_of(r)]
    said = collections.Counter(r["pairs"])
    in_common = [(said & collections.Counter(a["pairs"])).total() for a in candidates]
    return [a for a, n in zip(candidates, in_common) if n == max(in_common)]


def is_right(r, had, rewrites):
    """Whether the answer is one of those: pairs of a status and a body. A body that the browser does
    not tell, a redirect's or a stream's, or of another range, is judged by its status. A 304 stands
    for the 200 that it confirms."""
    if r["status"] is None:
        return (None, None) in had  # it failed at the origin as well
    status = 200 if r["status"] == 304 else r["status"]
    bodies = {body for had_status, body in had if status == (200 if had_status == 304 else had_status)}
    if r["error"] or not bodies:
        return False
    untold = r["body"] is None or None in bodies or rewrites and r["type"] in REWRITTEN
    return untold or r["body"] in bodies


def lost_requests(recorded, replayed, rewrites):
    """How many, and what is wrong with them."""
    before, again = ({exact(r) for r in walk} for walk in (recorded, replayed))
    lost = []
    for r in filter(is_wanted, replayed):
        same = [a for a in recorded if exact(a) == exact(r)] or nearest(r, recorded)
        had = {(a["status"], a["body"] if a["range"] == r["range"] else None)
               for a in same if is_wanted(a)}
        if (had or not same) and not is_right(r, had, rewrites):
            got = f"{r['status'] or r['error']} {(r['body'] or '')[:6]}"
            wanted = ", ".join(f"{status} {(body or '')[:6]}" for status, body in had)
            lost.append((1, f"{r['method']} {r['url'][:120]}: {got}, recorded {wanted or 'never'}"))
    never = collections.Counter(path_of(r) for r in {exact(r): r for r in recorded}.values()
                                if is_wanted(r) and exact(r) not in again)
    never -= collections.Counter(path_of(r) for r in replayed if exact(r) not in before)
    for (method, scheme, host, path), n in never.items():
        lost.append((n, f"{method} {scheme}://{host}{path}: {n} never asked for"))
    return lost


def read(folder):
    with open(os.path.join(folder, "answers.json")) as answers, \
            open(os.path.join(folder, "steps.json")) as steps:
        walk = json.load(answers)
        texts = {}
        for step in json.load(steps):
            with open(os.path.join(folder, step + ".txt")) as text:
                texts[step] = text.read()
        return walk, texts


def lost(recorded, replayed):
    """What is wrong with requests, the steps that are lost, and how many of each were recorded."""
    (walk, texts), (again, shown) = read(recorded), read(replayed)
    requests = lost_requests(walk["requests"], again["requests"], again["rewrites"])
    steps = [step for step, text in texts.items() if shown.get(step) != text]
    return requests, steps, len(walk["requests"]), len(texts)


def count(recorded, replayed):
    requests, steps, _, _ = lost(recorded, replayed)
    print("\n".join([problem for _, problem in requests] + [f"step {step}" for step in steps]) or "all there")


def table(seen, *sites):
    print("# | site | requests, steps |", " | ".join(REPLAYERS), "|")
    for site in sites:
        cells, misses = [], {}
        for replayer in REPLAYERS:
            recorded = "recorded-mitmdump" if replayer == "mitmdump" else "recorded"
            try:
                requests, steps, asked, taken = lost(os.path.join(seen, site, recorded),
                                                     os.path.join(seen, site, replayer))
            except FileNotFoundError as missing:
                report(f"{site}: {replayer} is walked over", [missing])
                cells.append("none")
                continue
            if recorded == "recorded":
                size = f"{asked}, {taken}"
            misses[replayer] = sum(n for n, _ in requests), len(steps)
            cells.append("{}, {}".format(*misses[replayer]))
        print(f"# | {site} | {size} |", " | ".join(cells), "|")
        ours = misses.pop("warcorder", None)
        report(f"{site}: no replayer loses less than ours",
               [f"{replayer}: {theirs}, ours {ours}" for replayer, theirs in misses.items()
                if ours is None or theirs[0] < ours[0] or theirs[1] < ours[1]])


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
