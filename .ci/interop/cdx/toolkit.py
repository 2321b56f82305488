"""The checks of cdx.sh by cdx_toolkit, in its own Python.

    toolkit.py SOURCE CDXJ [WEB]     it counts, pages through and gets the lines of a CDX server; with WEB it
                                     fetches what is there
"""
import os
import sys

os.environ["CDXT_DEFAULT_MIN_RETRY_INTERVAL"] = "0"  # it is kind to those who do not run it beside themselves
import cdx_toolkit  # noqa: E402

SITE, MANY = "example.test", "many.example"


def report(name, problems):
    print(f"not ok - {name}: {problems[0]}" if problems else f"ok - {name}", flush=True)


def main(source, cdxj, web=None):
    where = "/" + source.split("/", 3)[3]
    with open(cdxj) as file:
        lines = [tuple(line.split(" ", 2)[:2]) for line in file]
    fetcher = cdx_toolkit.CDXFetcher(source=source, wb=web)

    pages = [fetcher.get_size_estimate(f"{MANY}/*", as_pages=True, pageSize=size) for size in (1, 2)]
    of_blocks = [3, 2] if where.endswith("search/cdx") else [3, 3]  # it takes pywb's blocks for pages
    report(f"cdx_toolkit at {where}: it is told of {pages[0]} small pages, {pages[1]} of twice the size",
           [] if pages == of_blocks else [f"not {of_blocks}"])
    for site, key, how in ((SITE, "test,example)/", {}), (MANY, "example,many)/", {"pageSize": 1})):
        want = [line for line in lines if line[0].startswith(key)]
        got = [(c["urlkey"], c["timestamp"]) for c in fetcher.iter(f"{site}/*", **how)]
        report(f"cdx_toolkit at {where}: it pages through the {len(want)} lines of {site}",
               [] if got == want else [f"it has {len(got)}"])
    only = "status:200" if where.endswith("search/cdx") else "=status:200"
    got = fetcher.get("example.test/page", filter=[only], limit=5)
    report(f"cdx_toolkit at {where}: with a filter and a limit",
           [] if [c.get("status") for c in got] == ["200"] * 5 else [f"{[c.data for c in got]}"])
    got = fetcher.get("example.test/page", from_ts="2020", to="2020")
    count = sum(key == "test,example)/page" and ts.startswith("2020") for key, ts in lines)
    report(f"cdx_toolkit at {where}: {count} lines of a year", [] if len(got) == count else [f"{len(got)}"])
    if web:
        got = [c.content for c in fetcher.iter("example.test/even")]
        report(f"cdx_toolkit at {where}: it fetches what is there",
               [] if got == [b"0", b"1", b"2", b"3"] else [f"{got}"])


if __name__ == "__main__":
    main(*sys.argv[1:])
