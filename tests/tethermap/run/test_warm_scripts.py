"""Scripts that are forked from a process with all that they load are those that would have been started."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, nullcontext
from functools import partial
from pathlib import Path

import psutil
import pytest

from tests.tools.patience import patience, wait_until
from tests.tools.runs import ROOT
from tethermap.run.script_server import PRELOADED
from tethermap.run.warm_scripts import AVAILABLE, WarmScripts

pytestmark = [pytest.mark.process, pytest.mark.skipif(not AVAILABLE, reason="scripts are forked on Linux alone")]


@pytest.fixture
def warm(monkeypatch: pytest.MonkeyPatch) -> Iterator[WarmScripts]:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    with closing(WarmScripts()) as scripts:
        yield scripts


def status(warm: WarmScripts, folder: Path, text: str, variables: dict[str, str] | None = None) -> int | None:
    script = folder / "tmp1.a_step.py"
    script.write_text(text, encoding="utf-8")
    return warm.run(str(script), variables or {}, lambda _: nullcontext())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", 0),
        ("raise SystemExit(3)", 3),
        ("raise SystemExit('no more')", 1),
        ("1 / 0", 1),
        ("import os, signal; os.kill(os.getpid(), signal.SIGTERM)", -signal.SIGTERM),
        ("import os, signal; os.kill(os.getpid(), signal.SIGINT)", -signal.SIGINT),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", -signal.SIGKILL),
    ],
)
def test_status_is_that_of_the_script(warm: WarmScripts, tmp_path: Path, text: str, expected: int) -> None:
    assert status(warm, tmp_path, text) == expected


def test_script_begins_when_it_is_watched(warm: WarmScripts, tmp_path: Path) -> None:
    script = tmp_path / "tmp1.a_step.py"
    script.write_text("")
    for _ in range(20):
        watched: list[float] = []
        assert warm.run(str(script), {}, partial(_watch, watched)) == 0
        assert watched


@contextmanager
def _watch(watched: list[float], pid: int) -> Iterator[None]:
    time.sleep(0.01)  # time enough for it to end
    watched.append(psutil.Process(pid).create_time())
    yield


def test_script_that_is_killed_before_it_is_watched_reports_the_signal(warm: WarmScripts, tmp_path: Path) -> None:
    script = tmp_path / "tmp1.a_step.py"
    script.write_text("")
    assert warm.run(str(script), {}, _watch_too_late) == -signal.SIGKILL


@contextmanager
def _watch_too_late(pid: int) -> Iterator[None]:
    os.kill(pid, signal.SIGKILL)
    wait_until(lambda: not psutil.pid_exists(pid), 10, "the script to be gone")
    psutil.Process(pid)
    yield


def test_script_has_the_environment_of_a_separate_process(warm: WarmScripts, tmp_path: Path) -> None:
    text = (
        "import os, sys\nfrom pathlib import Path\n"
        "told = [__name__, sys.argv, sys.path[0], os.environ['TMPDIR'], Path('/proc/self/comm').read_text()]\n"
        "Path(__file__).with_name('told').write_text(repr(told))\n"
    )
    assert status(warm, tmp_path, text, {"TMPDIR": "/some/where"}) == 0
    script = tmp_path / "tmp1.a_step.py"
    expected = ["__main__", [str(script)], str(tmp_path), "/some/where", "a_step\n"]
    assert (tmp_path / "told").read_text() == repr(expected)


def test_changes_of_one_script_do_not_reach_the_next(warm: WarmScripts, tmp_path: Path) -> None:
    assert status(warm, tmp_path, "import os, json\nos.environ['X'] = json.X = 'there'") == 0
    assert status(warm, tmp_path, "import os, json\nassert 'X' not in os.environ and not hasattr(json, 'X')") == 0


def test_script_waits_for_its_threads_and_writes_all_its_output(warm: WarmScripts, tmp_path: Path) -> None:
    text = (
        "import threading, time\nfrom pathlib import Path\n"
        "stream = Path(__file__).with_name('told').open('w')\n"
        "def later():\n    time.sleep(0.2)\n    stream.write('late')\n    stream.close()\n"
        "threading.Thread(target=later).start()\n"
    )
    assert status(warm, tmp_path, text) == 0
    assert (tmp_path / "told").read_text() == "late"


def test_all_preloaded_modules_are_loaded_in_the_end(warm: WarmScripts, tmp_path: Path) -> None:
    text = f"import sys\nassert set({PRELOADED}) <= set(sys.modules)"
    wait_until(lambda: status(warm, tmp_path, text) == 0, 60, "all modules to be loaded")


def test_scripts_run_side_by_side(warm: WarmScripts, tmp_path: Path) -> None:
    texts = (
        "from pathlib import Path\nimport time\n"
        f"Path({str(tmp_path)!r}, '{mine}').touch()\n"
        f"while not Path({str(tmp_path)!r}, '{other}').exists(): time.sleep(0.01)\n"
        for mine, other in (("a", "b"), ("b", "a"))
    )
    folders = [tmp_path / name for name in "xy"]
    found: dict[str, int | None] = {}
    threads = []
    for folder, text in zip(folders, texts, strict=True):
        folder.mkdir()
        threads.append(threading.Thread(target=lambda f=folder, t=text: found.update({f.name: status(warm, f, t)})))
        threads[-1].start()
    for thread in threads:
        thread.join()
    assert found == {"x": 0, "y": 0}


def server_of(warm: WarmScripts) -> psutil.Process:
    return psutil.Process(warm._server.pid)


def test_killed_server_ends_its_scripts_and_later_ones_start_elsewhere(warm: WarmScripts, tmp_path: Path) -> None:
    found: list[int | None] = []
    text = f"open({str(tmp_path / 'begun')!r}, 'w')\nwhile True: pass"
    endless = threading.Thread(target=lambda: found.append(status(warm, tmp_path, text)))
    endless.start()
    wait_until((tmp_path / "begun").exists, 60, "the script to run")
    (script,) = server_of(warm).children()
    server_of(warm).kill()
    endless.join()
    assert found == [-signal.SIGKILL]
    psutil.wait_procs([script], timeout=patience(10))
    assert not script.is_running()
    assert status(warm, tmp_path, "") is None


def test_server_ends_with_its_client_but_after_its_scripts(tmp_path: Path) -> None:
    asker = os.fork()
    if not asker:  # pragma: no cover - is killed
        os.environ["PYTHONPATH"] = str(ROOT)
        warm = WarmScripts()
        (tmp_path / "server").write_text(str(warm._server.pid))
        begun, done = str(tmp_path / "begun"), str(tmp_path / "done")
        text = f"import time\nopen({begun!r}, 'w')\ntime.sleep(1)\nopen({done!r}, 'w')"
        status(warm, tmp_path, text)
        os._exit(0)
    wait_until((tmp_path / "begun").exists, 60, "the script to run")
    server = psutil.Process(int((tmp_path / "server").read_text()))
    os.kill(asker, signal.SIGKILL)
    os.waitpid(asker, 0)
    wait_until(lambda: not server.is_running() or server.status() == psutil.STATUS_ZOMBIE, 60, "the server to end")
    assert (tmp_path / "done").exists()


def test_resources_of_scripts_count_for_the_run(warm: WarmScripts, tmp_path: Path) -> None:
    before = sum(os.times()[2:4])
    assert status(warm, tmp_path, "import time\nwhile time.process_time() < 0.5: pass") == 0
    began = time.monotonic()
    warm.close()
    assert time.monotonic() - began < patience(10)
    assert sum(os.times()[2:4]) - before >= 0.5
