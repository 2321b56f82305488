"""The checks of cdx.sh that hold a CDX server of ours against pywb's, over the same lines. Like check.py.

    table.py compare NAME OURS PYWB PORTS CACHE   the rows of rows.py: the same lines, and the same errors;
                                                  CACHE keeps what pywb says
    table.py posts OURS PYWB                      queries with a method and a body
    table.py samples OURS PYWB CDXJ               every URL of a collection, in each way that pywb asks
"""
import collections
import http.client
import json
import os
import re
import sys
import urllib.parse

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from check import read_cdxj, report  # noqa: E402

from rows import rows  # noqa: E402

ADDED = ("source", "source-coll", "access")  # by pywb, to each line


class Server:
    def __init__(self, url):
        self.parts = urllib.parse.urlsplit(url)
        self.connection = None

    def ask(self, query, method="GET", body=None, kind=None):
        """Status, type and lines."""
        if self.connection is None:
            self.connection = http.client.HTTPConnection(self.parts.netloc, timeout=30)
        target = f"{self.parts.path}?{urllib.parse.quote(query, safe='%&=:/?*!~,()[].+$|')}"
        headers = {"Content-Type": kind} if kind else {}
        self.connection.request(method, target, body=body, headers=headers)
        response = self.connection.getresponse()
        text = response.read().decode()
        if response.will_close or response.status >= 400:
            self.connection.close()
        return response.status, response.getheader("Content-Type"), text

    def lines(self, query, **how):
        """Status and lines, without what pywb adds to them."""
        status, kind, text = self.ask(query, **how)
        if status != 200:
            said = json.loads(text) if text.startswith("{") else {}
            return status, "message" in said or text
        return status, [plain(line, query) for line in text.splitlines()]


def plain(line, query):
    if "output=text" in query:
        return re.sub(r" (\w+) \1$", "", line)  # its collection's name, twice
    head, brace, rest = line.partition("{")
    members = json.loads(brace + rest)
    return head + json.dumps({k: v for k, v in members.items() if k not in ADDED})


def differ(ours, theirs):
    """What is not the same, in a few words, or None."""
    if ours == theirs:
        return None
    (status, lines), (their_status, their_lines) = ours, theirs
    if status != their_status or not isinstance(lines, list):
        return f"we {status} {str(lines)[:200]!r}, pywb {their_status} {str(their_lines)[:200]!r}"
    at = next((n for n, (a, b) in enumerate(zip(lines, their_lines)) if a != b),
              min(len(lines), len(their_lines)))
    of = [side[at] if at < len(side) else "the end" for side in (lines, their_lines)]
    return f"{len(lines)} lines, pywb {len(their_lines)}; line {at}: {of[0]} | pywb: {of[1]}"


def compare(name, ours, pywb, ports, cache):
    with open(ports) as file:
        table = list(rows(json.load(file)))
    ours, pywb = Server(ours), Server(pywb)
    if os.path.exists(cache):
        with open(cache) as file:
            theirs = {query: tuple(answer) for query, answer in json.load(file).items()}
    else:
        theirs = {query: pywb.lines(query) for _, query, _ in table}
        with open(cache, "w") as file:
            json.dump(theirs, file)
    counts, problems, named, lines = collections.Counter(), collections.defaultdict(list), [], 0
    for group, query, reason in table:
        mine = ours.lines(query)
        difference = differ(mine, theirs[query])
        counts[group] += 1
        lines += len(mine[1]) if isinstance(mine[1], list) else 0
        if reason is None and difference:
            problems[group].append(f"{query}: {difference}")
        elif reason is not None and not difference:
            problems[group].append(f"{query}: no difference, although {reason}")
        elif reason is not None:
            named.append(reason)
    for group, count in counts.items():
        report(f"{name}: {count} queries by {group} are answered as pywb does", problems[group])
        for problem in problems[group][1:6]:
            print(f"# {problem}")
    report(f"{name}: they have {lines} lines", [] if lines > 1500 else ["too few to show much"])
    for reason, count in sorted(collections.Counter(named).items()):
        print(f"# {name}: {count} differ, since {reason}")


POSTS = (
    ("application/json", b'{"query": {"page": 1, "words": ["a", "b"]}, "on": true}'),
    ("application/json", b'{"query": {"page": 2, "words": ["a", "b"]}, "on": true}'),
    ("application/json", b'{"query": {"page": 3, "words": ["a", "b"]}, "on": true}'),
    ("application/x-www-form-urlencoded", b"a=1&b=two+words"),
    ("application/octet-stream", bytes(range(200))),
    ("text/plain", b"some words"),
)


def posts(ours, pywb):
    """What a POST to pywb's endpoint finds, the method and requestBody of its line find here, where all is asked
    by GET."""
    ours, pywb = Server(ours), Server(pywb)
    query = "url=http://example.test/form&allowFuzzy=0"
    problems, found = [], 0
    for kind, body in POSTS:
        status, _, _ = ours.ask(query, method="POST", body=body, kind=kind)
        if status != 405:
            problems.append(f"a POST is answered with {status}")
        theirs = pywb.lines(query, method="POST", body=body, kind=kind)
        found += len(theirs[1])
        for line in theirs[1]:
            members = json.loads(line.split(" ", 2)[2])
            by = urllib.parse.urlencode({"method": "POST", "requestBody": members["requestBody"]})
            if difference := differ(ours.lines(f"{query}&{by}"), theirs):
                problems.append(f"{by}: {difference}")
    if found != len(POSTS) - 1:
        problems.append(f"{found} found by pywb")
    report(f"what a POST finds with pywb is found by its method and requestBody, {found} times", problems)


EACH = ("", "&closest=20140126200700&sort=closest&limit=100&matchType=exact")
SOME = ("&sort=reverse&limit=2", "&resolveRevisits=true", "&matchType=prefix&limit=20", "&output=json",
        "&output=text&fl=urlkey,timestamp,url,mime,status,digest,length,offset,filename",
        "&matchType=domain&collapseTime=4&limit=20", "&filter=!~mime:(text|warc)/.*")


def samples(ours, pywb, cdxj):
    ours, pywb = Server(ours), Server(pywb)
    captures = list(read_cdxj(cdxj))
    urls = sorted({fields["url"] for _, _, fields in captures})
    problems, lines, posts = [], 0, 0

    def same(query, theirs=None):
        mine = ours.lines(query)
        if difference := differ(mine, pywb.lines(theirs or query)):
            problems.append(f"{query}: {difference}")
        return len(mine[1]) if isinstance(mine[1], list) else 0

    for n, url in enumerate(urls):
        for way in (*EACH, SOME[n % len(SOME)], SOME[(n + 3) % len(SOME)]):
            lines += same(f"url={urllib.parse.quote(url, safe='')}&allowFuzzy=0{way}")
    for _, _, fields in captures:
        if "method" in fields:
            by = {"method": fields["method"], "requestBody": fields.get("requestBody", "")}
            join = "&" if "?" in fields["url"] else "?"
            appended = f"{fields['url']}{join}__wb_method={by['method']}&{by['requestBody']}".rstrip("&")
            posts += same(urllib.parse.urlencode({"url": fields["url"]} | by),
                          "url=" + urllib.parse.quote(appended, safe=""))
    if len(urls) < 50 or not posts:
        problems.append(f"only {len(urls)} URLs, {posts} lines of POSTs")
    report(f"pywb's sample archives: {len(urls)} URLs, asked in several ways, have the same {lines} lines, and POSTs "
           f"{posts}", problems)


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
