"""Publishes ports of a container at 127.0.0.1, as Docker's own forwarder does: whoever comes has the address
of the bridge there.   publish.py HOST PORT..."""
import asyncio, sys


async def copy(reader, writer):
    try:
        while piece := await reader.read(1 << 16):
            writer.write(piece)
            await writer.drain()
        writer.write_eof()
    except OSError:
        writer.close()


async def publish(host, port):
    async def client(reader, writer):
        try:
            there = await asyncio.open_connection(host, port)
        except OSError:
            writer.close()
            return
        await asyncio.gather(copy(reader, there[1]), copy(there[0], writer))
        there[1].close()
        writer.close()

    await asyncio.start_server(client, "127.0.0.1", port)


async def main():
    for port in sys.argv[2:]:
        await publish(sys.argv[1], int(port))
    await asyncio.Event().wait()


asyncio.run(main())
