"""Settings of the cleaning from the settings of a job."""

from operator import attrgetter
from typing import Any

import pytest

from tethermap.base.config import resolve
from tethermap.steps import clean_complexes, parameters


@pytest.mark.parametrize(
    ("changes", "setting", "expected"),
    [
        ({"search_query": "1M17 P00533 kinase"}, "target.named_entries", {"1m17"}),
        ({"search_query": "1M17 P00533 kinase"}, "target.accessions", {"P00533"}),
        # A rerun that pins the entries of a job must find the same target chains for the same reasons.
        ({"filters": {"entries": ["1m17"]}}, "target.named_entries", set()),
        ({"search_query": "kinase ATP inhibitor 478"}, "named", {"ATP", "478"}),
        ({"filters": {"only_ligands": ["sti"]}}, "only_ligands", {"STI"}),
        ({"filters": {"always_keep": ["gol"]}}, "always_keep", {"GOL"}),
        ({"fasta_seq": ">x\nACDEFGHIKLMNPQ"}, "target.sequences", ("ACDEFGHIKLMNPQ",)),
    ],
)
def test_settings_of_the_cleaning_follow_from_the_job(changes: dict[str, Any], setting: str, expected: object) -> None:
    given = resolve({"target_name": "EGFR", "search_query": "kinase", "source": {"kind": "archive"}, **changes})
    assert attrgetter(setting)(clean_complexes.clean_settings(parameters.cleaning(given))) == expected
