from pathlib import Path
from types import SimpleNamespace

import pytest

from tethermap.base.root import __version__
from tethermap.run import software
from tethermap.run.software import PACKAGES, versions


def test_every_package_that_results_depend_on_has_its_version() -> None:
    found = versions()
    assert found["tethermap"] == __version__
    assert all(found[name] for name in (*PACKAGES, "python", "compiler"))


def test_loops_built_from_other_sources_change_the_digest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(software.DIGEST_VARIABLE, raising=False)
    built = tmp_path / "_kernels.so"
    monkeypatch.setattr(software, "find_spec", lambda _: SimpleNamespace(origin=str(built)))
    digests = []
    for content in (b"new", b"new", b"stale"):
        built.write_bytes(content)
        digests.append(software.source_digest.__wrapped__())
    assert digests[0] == digests[1] != digests[2]
