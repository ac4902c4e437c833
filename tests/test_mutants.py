"""The changes of `make mutants` still match the sources, a check that takes minutes with the tool itself."""

import pytest

from tests.tools.mutants import MUTANTS, Mutant
from tests.tools.runs import ROOT


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: f"{mutant.path} {mutant.old.strip()}")
def test_changed_text_occurs_in_its_file_once_and_has_tests(mutant: Mutant) -> None:
    assert (ROOT / mutant.path).read_text(encoding="utf-8").count(mutant.old) == 1
    assert mutant.new != mutant.old
    assert (ROOT / mutant.tests.partition("::")[0]).exists()
