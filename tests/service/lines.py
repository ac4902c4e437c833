"""A line between a client and a service that breaks after some bytes."""

import contextlib
import socket
import threading
from collections.abc import Iterator


@contextlib.contextmanager
def breaking_line(port: int, piece: int) -> Iterator[tuple[int, list[int]]]:
    """Pass connections on to a port, and cut each once `piece` bytes of a response's body have passed.

    Yields
    ------
    tuple of int and list of int
        The port of the line, and how many bytes had passed at each cut.
    """
    cuts: list[int] = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=_serve, args=(server, port, piece, cuts))
        thread.start()
        try:
            yield server.getsockname()[1], cuts
        finally:
            with contextlib.suppress(OSError):
                server.shutdown(socket.SHUT_RDWR)
            thread.join()


def _serve(server: socket.socket, port: int, piece: int, cuts: list[int]) -> None:
    """Pass one connection after another."""
    while True:
        try:
            client, _ = server.accept()
        except OSError:
            return
        with client, socket.create_connection(("127.0.0.1", port)) as service:
            sender = threading.Thread(target=_pass_on, args=(client, service))
            sender.start()
            answer, before, passed = service.makefile("rb"), -1, 0
            for line in answer:  # the head of the response is sent whole
                client.sendall(line)
                if not line.strip():
                    break
            while passed < piece and passed != before:
                before = passed
                block = answer.read1(min(1 << 16, piece - passed))
                client.sendall(block)
                passed += len(block)
            if passed == piece:
                cuts.append(passed)
            for end_of_line in (client, service):
                with contextlib.suppress(OSError):
                    end_of_line.shutdown(socket.SHUT_RDWR)
            sender.join()


def _pass_on(client: socket.socket, service: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while block := client.recv(1 << 16):
            service.sendall(block)
