"""The form of a job: its fields, made from the config schema, and the request of a filled-in form."""

import json
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal

import yaml

from service.jobs.submission import Submission, parse_submission, public_settings
from service.pages.texts import TEXTS
from service.results.tables import plain_number
from service.settings import Settings
from tethermap.base.config import load_defaults
from tethermap.base.identifiers import ENTRY_ID

Kind = Literal["integer", "number", "flag", "choice", "choices", "codes", "date", "text"]

GROUPS: Mapping[str, str] = TEXTS.front.groups
"""First setting of each group → its title, in the order of the schema."""

TEXT_FIELDS = ("target_name", "search_query", "fasta_seq", "pdb_id", "ligand", "structures")
OWN_STRUCTURES = "Own structures"
"""Name of the target of a job over files for which none is given: all their proteins count."""

_LONGEST_NAME = 64
"""Characters of the one box that name the target; the query has all."""

_SEPARATORS = str.maketrans(",;", "  ")


@dataclass(frozen=True, slots=True)
class FormField:
    """An option of the form.

    Parameters
    ----------
    name, label, says : str
        Its name in ``options``, and its label.
    kind : str
        Kind of input.
    default : object
        Its value if the form has none.
    choices : mapping of str to str
        Values to choose from, each with its label.
    minimum, maximum : float or None
        Limits of numbers.
    """

    name: str
    label: str
    says: str
    kind: Kind
    default: Any
    choices: Mapping[str, str] = field(default_factory=dict)
    minimum: float | None = None
    maximum: float | None = None


@cache
def option_groups() -> tuple[tuple[str, tuple[FormField, ...]], ...]:
    """Return the options that a client may set, by group, in the order of the schema."""
    groups: list[tuple[str, list[FormField]]] = []
    sections_first = sorted(public_settings().items(), key=lambda item: "." not in item[1][0])
    for name, (key, schema) in sections_first:
        if key in GROUPS:
            groups.append((GROUPS[key], []))
        title = GROUPS["filters.min_identity"] if key == "sequence_search" else groups[-1][0]
        next(fields for label, fields in groups if label == title).append(_field(name, key, schema))
    return tuple((title, tuple(fields)) for title, fields in groups)


def _field(name: str, key: str, schema: Mapping[str, Any]) -> FormField:
    default: Any = load_defaults()
    for part in key.split("."):
        default = default[part]
    items = schema.get("items", {})
    return FormField(
        name=name,
        label=name.replace("_", " ").capitalize().replace("Max ", "Maximum ").replace("Min ", "Minimum "),
        says=str(schema["description"]).replace("`", ""),
        kind=_kind(schema),
        default=default,
        choices={choice: _words(choice) for choice in schema.get("enum", items.get("enum", ()))},
        minimum=schema.get("minimum"),
        maximum=schema.get("maximum"),
    )


def _words(choice: str) -> str:
    """Return a value as people read it: ``X-RAY DIFFRACTION`` and ``modified_residue`` as words."""
    words = choice.replace("_", " ")
    return words if words.islower() else words.capitalize().replace("nmr", "NMR").replace("Epr", "EPR")


def _kind(schema: Mapping[str, Any]) -> Kind:
    types = schema.get("type", ())
    if "enum" in schema:
        return "choice"
    if "array" in types:
        return "choices" if "enum" in schema["items"] else "codes"
    named: dict[str, Kind] = {"integer": "integer", "number": "number", "boolean": "flag"}
    other: Kind = "date" if schema.get("format") == "date" else "text"
    return next((kind for name, kind in named.items() if name in types), other)


def values_of_request(request: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return the form values that give the same request as an accepted one."""
    values = {name: [str(request[name])] for name in TEXT_FIELDS if request.get(name)}
    for name, value in (request.get("options") or {}).items():
        if isinstance(value, list):
            values[name] = [str(item) for item in value]
        elif value is not None:  # equivalent to an empty field
            values[name] = ["true" if value is True else str(value)]
    return values


def body_of_form(values: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Return the JSON body of a filled-in form; empty and default values are omitted.

    Parameters
    ----------
    values : mapping of str to sequence of str
        Values by name as the browser sends them.

    Returns
    -------
    dict
        The body for ``POST /api/jobs``. Values that can't be converted stay text, so that they are refused by name.
    """
    given = {name: [value.strip() for value in many if value.strip()] for name, many in values.items()}
    body: dict[str, Any] = {name: given[name][0] for name in TEXT_FIELDS if given.get(name)}
    if "structures" in body:
        body.setdefault("target_name", OWN_STRUCTURES)
    if "target_name" in body and not body.keys() & {"search_query", "pdb_id", "structures"}:
        body |= _asked(body["target_name"])  # one box is enough
    asked = [one for _, fields in option_groups() for one in fields if given.get(one.name)]
    options = {one.name: value for one in asked if (value := _converted(one, given[one.name])) != one.default}
    return {**body, "options": options} if options else body


def _asked(text: str) -> dict[str, str]:
    """Return target and query of a text in the one box; of PDB ids the first names the target.

    >>> _asked("1HPV, 4cup")
    {'target_name': '1HPV and 1 more', 'search_query': '1HPV 4cup'}
    >>> _asked("HIV-1 protease")
    {'target_name': 'HIV-1 protease', 'search_query': 'HIV-1 protease'}
    """
    words = text.translate(_SEPARATORS).split()
    if not words or not all(re.fullmatch(ENTRY_ID, word) for word in words):
        return {"target_name": text[:_LONGEST_NAME].rstrip(), "search_query": text}
    more = f" and {len(words) - 1} more" if len(words) > 1 else ""
    return {"target_name": f"{words[0]}{more}", "search_query": " ".join(words)}


def is_smiles(text: str) -> bool:
    """Return whether a text can only be a SMILES: no spaces, and brackets, a bond or a ring between atoms.

    >>> [is_smiles(text) for text in ("CC(=O)Nc1ccccc1", "c1ccccc1", "EGFR", "HIV-1 protease", "2,4-D", "p53(1-20)")]
    [True, True, False, False, False, False]
    """
    atoms = r"(?:Cl|Br|[BCNOPSFIbcnops]|\[[^\]\s]{1,30}\]|\((?![0-9])|[-=#$:/\\%.)0-9@+])+"
    return re.fullmatch(atoms, text) is not None and re.search(r"[=#(\[]|[a-z]1", text) is not None


def ligand_asked(values: Mapping[str, list[str]]) -> str:
    """Return the text of the one box if it can be a ligand's name or SMILES, without a query or files."""
    text = (values.get("target_name") or [""])[0].strip()
    alone = not any("".join(values.get(name, ())).strip() for name in TEXT_FIELDS if name != "target_name")
    return text if alone and (is_smiles(text) or _asked(text)["search_query"] == text) else ""


def _converted(one: FormField, values: list[str]) -> Any:
    if one.kind == "choices":
        return [choice for choice in one.choices if choice in values] or values
    if one.kind == "codes":
        return [word for value in values for word in value.translate(_SEPARATORS).split()]
    if one.kind == "flag":
        return values[-1] in ("true", "on")
    if one.kind in ("integer", "number"):
        number = plain_number(values[0].strip())
        if number is not None:
            return int(number) if number.is_integer() else number
    return values[0]


@dataclass(frozen=True, slots=True)
class Meaning:
    """Request of a filled-in form.

    Parameters
    ----------
    body : dict
        The JSON body.
    submission : Submission
        The same, checked.
    """

    body: dict[str, Any]
    submission: Submission

    @property
    def curl(self) -> str:
        """The same as a command; the browser puts its own address for ``$TETHERMAP_URL``."""
        text = json.dumps(self.body, ensure_ascii=False)
        head = "curl -s \"$TETHERMAP_URL/api/jobs\" \\\n  -H 'Content-Type: application/json' \\\n"
        return f"{head}  -d {shlex.quote(text)}"

    @property
    def job_yaml(self) -> str:
        """The same as the file of a job for the command line."""
        settings = self.submission.settings()
        if self.submission.structures:  # by hand they are files of a folder
            settings["source"] = {"kind": "files", "files": "folder_of_your_files"}
        return yaml.safe_dump(settings, sort_keys=False, allow_unicode=True, width=100)


def meaning_of(values: Mapping[str, Sequence[str]], settings: Settings) -> Meaning:
    """Return the request of a form.

    Raises
    ------
    ServiceError
        If the request is invalid; `details` name the field.
    """
    body = body_of_form(values)
    return Meaning(body, parse_submission(body, settings))
