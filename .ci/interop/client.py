"""Clients that measure: what curl cannot tell. They print `ok - …`, `not ok - …`.

    client.py visible PROXY PORTS CA           time from the last byte to the capture in the index
    client.py load PROXY PORTS SECONDS PID OUT
        8 clients fetch /load/N for SECONDS, then PID is killed (kill -9) under
        them; OUT gets the URLs that had arrived in full a second before
    client.py kept CDXJ OUT...                 all of those are in the index
"""
import http.client
import json
import os
import signal
import ssl
import sys
import threading
import time
import urllib.parse

LIMIT = 1.0  # seconds; the promise is 0.1, a busy CI machine gets some slack


def connect(proxy, scheme, port, ca):
    """A connection through the proxy, and what its request targets start with."""
    host, _, proxy_port = proxy.rpartition(":")
    if scheme == "http":
        return http.client.HTTPConnection(host, int(proxy_port),
                                          timeout=20), f"http://localhost:{port}"
    connection = http.client.HTTPSConnection(host, int(proxy_port), timeout=20,
                                             context=ssl.create_default_context(cafile=ca))
    connection.set_tunnel("localhost", port)
    return connection, ""


def visible(proxy, ports, ca):
    times = []
    with open(ports) as file:
        ports = json.load(file)
    admin = http.client.HTTPConnection(proxy, timeout=20)
    for scheme, port in ports.items():
        origin, prefix = connect(proxy, scheme, port, ca)
        for n in range(25):
            path = f"/plain.json?visible={n}"
            origin.request("GET", prefix + path)
            origin.getresponse().read()
            last_byte, lines = time.monotonic(), b""
            query = urllib.parse.urlencode({"url": f"{scheme}://localhost:{port}{path}"})
            while not lines and time.monotonic() < last_byte + 10:
                admin.request("GET", f"/export?{query}")
                lines = admin.getresponse().read()
            times.append(time.monotonic() - last_byte)
    times.sort()
    figures = ", ".join(f"{name} {1000 * t:.0f} ms" for name, t in (("median",
                                                                     times[len(times) // 2]),
                                                                    ("p90",
                                                                     times[len(times) * 9 // 10]),
                                                                    ("longest", times[-1])))
    print(
        f"{'ok' if times[-1] <= LIMIT else 'not ok'} - capture visible in the index "
        f"after its last byte, {len(times)} times: {figures}"
    )


def load(proxy, ports, seconds, pid, out):
    with open(ports) as file:
        port = json.load(file)["http"]
    arrived, stop = [], threading.Event()
    first = int(time.time() * 1000) % 10**9 * 10**6  # each call fetches other URLs

    def client(number):
        origin, prefix = connect(proxy, "http", port, None)
        for n in range(first + number, first + 10**6, 8):
            try:
                origin.request("GET", f"{prefix}/load/{n}")
                response = origin.getresponse()
                response.read()
            except (OSError, http.client.HTTPException):
                return  # the recorder is gone
            if response.status == 200:
                arrived.append((time.monotonic(), f"{prefix}/load/{n}"))
            if stop.is_set():
                return

    clients = [threading.Thread(target=client, args=(n, ), daemon=True) for n in range(8)]
    for thread in clients:
        thread.start()
    time.sleep(float(seconds))
    killed = time.monotonic()
    os.kill(int(pid), signal.SIGKILL)
    stop.set()
    for thread in clients:
        thread.join(30)
    safe = [url for at, url in arrived if at < killed - LIMIT]
    with open(out, "w") as file:
        json.dump(safe, file)
    print(
        f"{'ok' if safe else 'not ok'} - killed under load, after {len(arrived)} exchanges, "
        f"{len(safe)} of them older than {LIMIT:.0f} s"
    )


def kept(cdxj, *outs):
    with open(cdxj, encoding="utf-8") as file:
        urls = {json.loads(line.split(" ", 2)[2])["url"] for line in file}
    want = []
    for out in outs:
        with open(out) as file:
            want += json.load(file)
    lost = [url for url in want if url not in urls]
    print(
        f"not ok - lost: {len(lost)} of {len(want)} exchanges, {lost[0]} first" if lost else
        f"ok - all {len(want)} exchanges that had ended {LIMIT:.0f} s before a kill are in the index"
    )


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
