import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tethermap.sources.locks import file_lock, one_of


def test_a_lock_has_one_owner_and_can_be_acquired_again(tmp_path: Path) -> None:
    for _ in range(2):
        with file_lock(tmp_path / "x.lock", patience=0) as first, file_lock(tmp_path / "x.lock", patience=0) as second:
            assert (first, second) == (True, False)


def test_a_waiting_process_gets_the_lock_when_it_is_free(tmp_path: Path) -> None:
    order = []

    def wait() -> None:
        with file_lock(tmp_path / "x.lock", patience=10) as held:
            order.append(f"second {held}")

    with file_lock(tmp_path / "x.lock", patience=0):
        thread = threading.Thread(target=wait)
        thread.start()
        time.sleep(0.1)
        order.append("first done")
    thread.join()
    assert order == ["first done", "second True"]


def test_slots_are_limited_to_their_number(tmp_path: Path) -> None:
    running: list[int] = []
    most: set[int] = set()

    def work() -> None:
        with one_of(tmp_path, 2, patience=30):
            running.append(1)
            most.add(len(running))
            time.sleep(0.02)
            running.pop()

    with ThreadPoolExecutor(6) as pool:
        for _ in range(6):
            pool.submit(work)
    assert max(most) == 2
