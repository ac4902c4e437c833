"""``python -m tests.tools.settings_table``: write the generated tables of the READMEs.

config/README.md has the settings of the schema, scripts/README.md the glossary of data/reference/codes.csv.
"""

import json
from collections.abc import Mapping
from functools import reduce
from operator import getitem
from pathlib import Path
from typing import Any

from tests.tools.runs import ROOT
from tethermap.base.config import FOLDER, all_settings, expected, load_defaults, load_schema
from tethermap.base.reasons import GLOSSARY

README = FOLDER / "README.md"
METHODS = ROOT / "scripts" / "README.md"


def table() -> str:
    """Return the table of all settings in Markdown, one row each."""
    schema, defaults = load_schema(), load_defaults()
    lines = ["| setting | default | values | meaning |", "|---|---|---|---|"]
    for key, part in all_settings(schema).items():
        name = f"`{key}`" + (" \\*" if part.get("x-public") else "")
        is_required = key in schema["required"]
        default = "required" if is_required else f"`{json.dumps(reduce(getitem, key.split('.'), defaults))}`"
        lines.append(f"| {name} | {default} | {_values(part)} | {part['description']} |")
    return "\n".join(lines) + "\n"


def glossary() -> str:
    """Return the glossary in Markdown, one row per word."""
    return "| word | meaning |\n|---|---|\n" + "".join(
        f"| {word} | {meaning} |\n" for word, meaning in GLOSSARY.items()
    )


TABLES = {README: ("settings", table), METHODS: ("glossary", glossary)}
"""Pages with a generated table: its name and its text."""


def with_table(page: Path) -> str:
    """Return the text of a page with the current table between its marks."""
    name, text = TABLES[page]
    begin, end = f"<!-- {name}: made by python -m tests.tools.settings_table -->\n", f"<!-- end of {name} -->\n"
    before, _, rest = page.read_text(encoding="utf-8").partition(begin)
    return f"{before}{begin}{text()}{end}{rest.partition(end)[2]}"


def _values(part: Mapping[str, Any]) -> str:
    if part.get("type") == "array":
        return f"{expected(part)} of: {expected(part['items'])}"
    return expected(part)


if __name__ == "__main__":
    for page in TABLES:
        page.write_text(with_table(page), encoding="utf-8")
