from __future__ import annotations

from tethermap.base.version import __version__
from tethermap.run.software import PACKAGES, versions


def test_every_package_that_results_depend_on_has_its_version() -> None:
    found = versions()
    assert found["tethermap"] == __version__
    assert all(found[name] for name in (*PACKAGES, "python", "compiler"))
