from __future__ import annotations

from scripts.lib.run.software import PACKAGES, versions
from scripts.lib.version import __version__


def test_every_package_that_results_depend_on_has_its_version() -> None:
    found = versions()
    assert found["tethermap"] == __version__
    assert all(found[name] for name in (*PACKAGES, "python", "compiler"))
