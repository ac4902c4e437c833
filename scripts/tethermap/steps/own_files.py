"""Checks of the user's files and query on the command line, before a job folder changes."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tethermap.base.errors import UserError
from tethermap.base.layout import walk
from tethermap.components.user import components_from_table
from tethermap.sources.own.sniff import kind_of
from tethermap.sources.query import NO_BRACKETS, parse_query
from tethermap.steps.parameters import build_tables

_NO_STRUCTURE = ("text", "other")


def refuse_brackets(query: Any) -> None:
    """Raise UserError if a query has brackets with operators; the service refuses the same ones."""
    if parse_query(str(query)).has_brackets:
        raise UserError(f"The query {query!r} {NO_BRACKETS}.")


def refuse_no_structure(paths: Sequence[Path]) -> None:
    """Raise UserError if no path is a file with coordinates or a folder with one."""
    kinds = [_kind_of_folder(path) if path.is_dir() else kind_of(path) for path in paths]
    if paths and all(kind in _NO_STRUCTURE for kind, _ in kinds):
        reason = kinds[0][1] or "damaged or no structure; give an mmCIF, BinaryCIF or PDB file"
        raise UserError(f"{paths[0]} is {reason}.")


def _kind_of_folder(folder: Path) -> tuple[str, str]:
    found = ""
    for path in map(Path, walk(folder)):
        kind, reason = kind_of(path)
        if kind not in _NO_STRUCTURE:
            return "folder", ""
        found = found or (f" ({path.name} is {reason})" if reason else "")
    return "other", f"a folder without structures{found}; if only its name is that of the target, run in another folder"


def refuse_wrong_smiles(smiles: Mapping[str, str]) -> None:
    """Raise UserError if a definition, SMILES by component code, can't be read."""
    for code, value in smiles.items():
        try:
            components_from_table(f"{code},{value}")
        except ValueError as error:
            reason = str(error).removeprefix("line 1: ")
            raise UserError(f"The definition {code}={value} can't be used: {reason}; LIG=CCO is an example.") from None


def refuse_unreadable_tables(settings: Mapping[str, Any]) -> None:
    """Raise UserError if a table of affinities or of published degraders can't be read; settings are complete."""
    # Imported where they are needed: few jobs have tables.
    files = build_tables(settings)
    if files["affinity"]:
        from tethermap.results import affinity

        affinity.formats_of(files["affinity"])
    if files["degraders"]:
        from tethermap.results import published

        published.check_tables(files["degraders"])
