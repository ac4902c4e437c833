from __future__ import annotations

from scripts.lib.version import PACKAGES, __version__, versions


def test_every_package_that_results_depend_on_has_its_version() -> None:
    found = versions()
    assert found["tethermap"] == __version__
    assert all(found[name] for name in (*PACKAGES, "python"))
