"""A line between a client and a service that breaks after some bytes."""

import contextlib
import socket
import threading
from collections.abc import Iterator
from io import BufferedIOBase
from socketserver import StreamRequestHandler, TCPServer


@contextlib.contextmanager
def breaking_line(port: int, piece: int) -> Iterator[tuple[int, list[int]]]:
    """Pass requests without body on to a port, and cut each response once `piece` bytes of its body have passed.

    Yields
    ------
    tuple of int and list of int
        The port of the line, and how many bytes had passed at each cut.
    """
    cuts: list[int] = []

    class Line(StreamRequestHandler):
        def handle(self) -> None:
            request = head_of(self.rfile).replace(b"keep-alive", b"close")
            with socket.create_connection(("127.0.0.1", port)) as service, service.makefile("rb") as answer:
                service.sendall(request)
                self.wfile.write(head_of(answer))
                body = answer.read(piece)
                self.wfile.write(body)
            if len(body) == piece:
                cuts.append(piece)

    with TCPServer(("127.0.0.1", 0), Line) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield server.server_address[1], cuts
        finally:
            server.shutdown()
            thread.join()


def head_of(message: BufferedIOBase) -> bytes:
    """Return the lines of a request or response up to the empty one."""
    return b"".join(iter(message.readline, b"\r\n")) + b"\r\n"
