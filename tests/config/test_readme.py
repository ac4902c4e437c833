from __future__ import annotations

from tests.tools.settings_table import README, with_table


def test_readme_has_a_row_for_every_setting_as_the_schema_has_it() -> None:
    text = README.read_text(encoding="utf-8")
    assert text == with_table(text), "run python -m tests.tools.settings_table"
