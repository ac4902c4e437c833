"""Write the table of settings into config/README.md from the schema: ``python -m tests.tools.settings_table``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from tethermap.base.config import FOLDER, all_settings, expected, load_defaults, load_schema

README = FOLDER / "README.md"
BEGIN = "<!-- settings: made by python -m tests.tools.settings_table -->\n"
END = "<!-- end of settings -->\n"


def table() -> str:
    """Return the table of all settings in Markdown, one row each."""
    schema = load_schema()
    lines = ["| setting | default | values | meaning |", "|---|---|---|---|"]
    for key, part in all_settings(schema).items():
        name = f"`{key}`" + (" \\*" if part.get("x-public") else "")
        default = "required" if key in schema["required"] else f"`{json.dumps(_default(key))}`"
        lines.append(f"| {name} | {default} | {_values(part)} | {part['description']} |")
    return "\n".join(lines) + "\n"


def with_table(text: str) -> str:
    """Return the README's text with the table of today between its marks."""
    before, _, rest = text.partition(BEGIN)
    after = rest.partition(END)[2]
    return f"{before}{BEGIN}{table()}{END}{after}"


def _default(key: str) -> Any:
    value: Any = load_defaults()
    for part in key.split("."):
        value = value[part]
    return value


def _values(part: Mapping[str, Any]) -> str:
    if part.get("type") == "array":
        return f"{expected(part)} of: {expected(part['items'])}"
    return expected(part)


def main() -> None:
    """Renew the table."""
    README.write_text(with_table(README.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
