"""A SOCKS5 proxy without a password that notes what it is asked for, and connects it all to one
host, at the port that is asked for.

    socks.py LISTEN LOG HOST     LISTEN is HOST:PORT; LOG gets "NAME:PORT" or "address ADDRESS:PORT"
"""
import asyncio
import ipaddress
import sys

listen, log, host = sys.argv[1:]


async def pass_on(reader, writer):
    try:
        while piece := await reader.read(65536):
            writer.write(piece)
            await writer.drain()
        writer.write_eof()
    except OSError:
        pass


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
    origin_reader, origin_writer = await asyncio.open_connection(host, port)
    writer.write(b"\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00")
    await asyncio.gather(pass_on(reader, origin_writer), pass_on(origin_reader, writer))
    writer.close()
    origin_writer.close()


async def serve():
    server = await asyncio.start_server(handle, *listen.rsplit(":", 1))
    await server.serve_forever()


asyncio.run(serve())
