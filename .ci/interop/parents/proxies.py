"""Proxies of parents.sh that nothing in Debian is.

    proxies.py socks LISTEN LOG ADDRESS      SOCKS5 without a password that notes the names (not
                                             addresses) that it is asked for, and connects all of
                                             them to ADDRESS, at the port that is asked for
    proxies.py tls LISTEN CERT KEY ADDRESS   TLS in front of what listens at ADDRESS

LISTEN and ADDRESS are HOST:PORT; ADDRESS of socks is HOST alone. Prints "up" once it listens.
"""
import asyncio
import ipaddress
import ssl
import sys


def place(text):
    host, port = text.rsplit(":", 1)
    return host, int(port)


async def pass_on(reader, writer):
    try:
        while piece := await reader.read(65536):
            writer.write(piece)
            await writer.drain()
        if writer.can_write_eof():
            writer.write_eof()
    except OSError:
        pass


async def join(reader, writer, host, port):
    origin_reader, origin_writer = await asyncio.open_connection(host, port)
    await asyncio.gather(pass_on(reader, origin_writer), pass_on(origin_reader, writer))
    for one in writer, origin_writer:
        one.close()


async def serve(listen, handle, context=None):
    server = await asyncio.start_server(handle, *place(listen), ssl=context)
    print("up", flush=True)
    await server.serve_forever()


async def socks(listen, log, host):

    async def handle(reader, writer):
        methods = (await reader.readexactly(2))[1]
        await reader.readexactly(methods)
        writer.write(b"\x05\x00")
        kind = (await reader.readexactly(4))[3]
        length = {1: 4, 4: 16}.get(kind) or (await reader.readexactly(1))[0]
        asked = await reader.readexactly(length)
        name = asked.decode("latin-1") if kind == 3 else f"address {ipaddress.ip_address(asked)}"
        port = int.from_bytes(await reader.readexactly(2), "big")
        with open(log, "a") as names:
            names.write(f"{name}:{port}\n")
        writer.write(b"\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00")
        await join(reader, writer, host, port)

    await serve(listen, handle)


async def tls(listen, certificate, key, address):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    await serve(listen, lambda reader, writer: join(reader, writer, *place(address)), context)


if __name__ == "__main__":
    asyncio.run(globals()[sys.argv[1]](*sys.argv[2:]))
