"""Requirements of every rule and its script."""

import re

import pytest

from tests.tools.runs import ROOT
from tethermap.run.display import STEPS

RULES = {
    name: body
    for path in sorted((ROOT / "rules").glob("*.smk"))
    for name, body in re.findall(
        r"^(?:rule|checkpoint) (\w+):\n(.*?)(?=^\S|\Z)", path.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )
}
LIGHT = {name for name, body in RULES.items() if "    localrule: True\n" in body}


def test_every_rule_has_a_description_for_users() -> None:
    assert RULES.keys() == STEPS.keys() - {"all"}


@pytest.mark.parametrize("name", RULES)
def test_rule_and_script_share_one_name(name: str) -> None:
    assert f'"../scripts/{name}.py"' in RULES[name]
    assert (ROOT / "scripts" / f"{name}.py").is_file()


@pytest.mark.parametrize("name", RULES)
def test_rule_has_log_benchmark_and_environment(name: str) -> None:
    assert f"/{name}" in RULES[name].partition("log:")[2].partition("benchmark:")[0]
    assert f"/{name}" in RULES[name].partition("benchmark:")[2].partition("conda:")[0]
    assert 'conda:\n        "../environment.yml"' in RULES[name]


@pytest.mark.parametrize("name", sorted(RULES.keys() - LIGHT))
def test_rule_that_computes_declares_its_resources(name: str) -> None:
    assert 'mem_mb=lookup(dpath="resources/mem_mb", within=config)' in RULES[name]


@pytest.mark.parametrize("name", RULES)
def test_rule_runs_a_script_in_a_separate_process(name: str) -> None:
    assert not re.search(r"^    (run|shell|group):", RULES[name], re.MULTILINE)


@pytest.mark.parametrize("name", RULES)
def test_script_has_no_future_import(name: str) -> None:
    """Snakemake puts a preamble before the script, after which a future import is a syntax error."""
    assert "from __future__" not in (ROOT / "scripts" / f"{name}.py").read_text(encoding="utf-8")
