import re
from pathlib import Path

import pytest

from service.settings import VARIABLES
from tests.tools.runs import ROOT
from tests.tools.settings_table import TABLES, with_table
from tethermap.base.links import Addresses
from tethermap.run.http import CERTIFICATES, RequestLimits

VARIABLES_PAGE = (ROOT / "config/profiles/README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("page", TABLES, ids=["settings", "glossary"])
def test_generated_table_is_up_to_date(page: Path) -> None:
    assert page.read_text(encoding="utf-8") == with_table(page), "run python -m tests.tools.settings_table"


def test_readme_names_every_variable_of_the_environment() -> None:
    places = [path for folder in ("scripts", "service", "config") for path in (ROOT / folder).rglob("*.*")]
    code = [path for path in places if path.suffix in (".py", ".sh", ".yaml") and "node_modules" not in path.parts]
    used = {name for path in code for name in re.findall(r"TETHERMAP_[A-Z_]+[A-Z]", path.read_text(encoding="utf-8"))}
    assert used >= {"TETHERMAP_COMPONENTS", "TETHERMAP_KUBE_IMAGE"}
    shown = set(re.findall(r"`([A-Z_]+)`", VARIABLES_PAGE))
    assert {*used, *CERTIFICATES} - {*shown, *VARIABLES} == set()  # a test of the service has those of its page


def test_defaults_of_the_readme_are_those_of_the_code() -> None:
    defaults = dict(re.findall(r"^\| `(TETHERMAP_\w+)` \| `(\S+)` \|", VARIABLES_PAGE, re.MULTILINE))
    limits, addresses = RequestLimits(), Addresses.from_environment()
    assert defaults == {
        "TETHERMAP_RCSB_SEARCH_URL": addresses.search,
        "TETHERMAP_RCSB_DATA_URL": addresses.data,
        "TETHERMAP_RCSB_FILES_URL": addresses.files,
        "TETHERMAP_PDBE_FILES_URL": addresses.pdbe_files,
        "TETHERMAP_HTTP_ATTEMPTS": f"{limits.attempts}",
        "TETHERMAP_HTTP_BACKOFF": f"{limits.backoff:g}",
        "TETHERMAP_HTTP_READ": f"{limits.read:g}",
    }
