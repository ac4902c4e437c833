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
def test_rule_runs_its_script_with_log_benchmark_and_environment(name: str) -> None:
    body = RULES[name]
    assert f'"../scripts/{name}.py"' in body
    assert not re.search(r"^    (run|shell|group):", body, re.MULTILINE)
    assert f"/{name}" in body.partition("log:")[2].partition("benchmark:")[0]
    assert f"/{name}" in body.partition("benchmark:")[2].partition("conda:")[0]
    assert 'conda:\n        "../environment.yml"' in body
    assert name in LIGHT or 'mem_mb=lookup(dpath="resources/mem_mb", within=config)' in body
