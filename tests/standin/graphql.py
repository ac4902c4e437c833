"""As much GraphQL as the data API's clients need: one operation, variables, nested selections."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tests.standin.documents import Document

Json = dict[str, Any]
_TOKEN = re.compile(r'\s*(?:#[^\n]*\n\s*)*([{}()\[\]:!,=]|\$?[_A-Za-z][_0-9A-Za-z]*|"[^"]*")')


def _fields(text: str) -> dict[str, str]:
    """Return the type of each field's value: ``name:Type``, or a plain ``name``."""
    return {name: kind for name, _, kind in (word.partition(":") for word in text.split())}


_POLYMER_IDS = "RcsbPolymerEntityContainerIdentifiers"
_REFERENCES = f"{_POLYMER_IDS}ReferenceSequenceIdentifiers"
_NONPOLYMER_IDS = "RcsbNonpolymerEntityContainerIdentifiers"
_BRANCHED_IDS = "RcsbBranchedEntityContainerIdentifiers"
_GENES = "RcsbEntitySourceOrganismRcsbGeneName"

TYPES = {
    "Query": _fields("entry:CoreEntry entries:CoreEntry"),
    "CoreEntry": _fields(
        "rcsb_id struct:Struct exptl:Exptl rcsb_entry_info:RcsbEntryInfo"
        " rcsb_accession_info:RcsbAccessionInfo polymer_entities:CorePolymerEntity"
        " nonpolymer_entities:CoreNonpolymerEntity branched_entities:CoreBranchedEntity"
        " rcsb_entry_container_identifiers:RcsbEntryContainerIdentifiers"
    ),
    "Struct": _fields("title"),
    "Exptl": _fields("method"),
    "RcsbEntryInfo": _fields("resolution_combined deposited_atom_count nonpolymer_entity_count polymer_entity_count"),
    "RcsbAccessionInfo": _fields(
        "initial_release_date deposit_date revision_date major_revision minor_revision status_code"
    ),
    "RcsbEntryContainerIdentifiers": _fields("entry_id polymer_entity_ids non_polymer_entity_ids"),
    "CorePolymerEntity": _fields(
        "rcsb_id rcsb_polymer_entity:RcsbPolymerEntity entity_poly:EntityPoly"
        " rcsb_entity_source_organism:RcsbEntitySourceOrganism"
        f" rcsb_polymer_entity_container_identifiers:{_POLYMER_IDS}"
    ),
    "RcsbPolymerEntity": _fields("pdbx_description"),
    "EntityPoly": _fields("pdbx_seq_one_letter_code_can rcsb_entity_polymer_type"),
    "RcsbEntitySourceOrganism": _fields(f"ncbi_scientific_name scientific_name rcsb_gene_name:{_GENES}"),
    _GENES: _fields("value provenance_source"),
    _POLYMER_IDS: _fields(
        f"entry_id entity_id uniprot_ids auth_asym_ids asym_ids reference_sequence_identifiers:{_REFERENCES}"
    ),
    _REFERENCES: _fields("database_name database_accession provenance_source"),
    "CoreNonpolymerEntity": _fields(
        f"rcsb_id pdbx_entity_nonpoly:PdbxEntityNonpoly rcsb_nonpolymer_entity_container_identifiers:{_NONPOLYMER_IDS}"
    ),
    "PdbxEntityNonpoly": _fields("comp_id entity_id name"),
    _NONPOLYMER_IDS: _fields("entry_id entity_id nonpolymer_comp_id"),
    "CoreBranchedEntity": _fields(f"rcsb_id rcsb_branched_entity_container_identifiers:{_BRANCHED_IDS}"),
    _BRANCHED_IDS: _fields("entry_id entity_id chem_comp_monomers"),
}
"""Fields by type, each with the type of its value, empty for plain ones; names are those of the service."""

MOST_IDS = 1000


@dataclass
class Field:
    """A selected field."""

    name: str
    arguments: Json
    fields: list[Field]


class GraphQLError(Exception):
    """The fault of a query, in the service's wording."""

    def __init__(self, message: str, path: list[str] | None = None) -> None:
        super().__init__(message)
        self.path = path or []


def answer(documents: Mapping[str, Document], body: Json) -> Json:
    """Return the answer to a GraphQL request; errors are part of it."""
    try:
        fields = _Parser(str(body.get("query", "")), body.get("variables") or {}).parse()
        for item in fields:
            _validate(item, "Query", [])
        return {"data": {item.name: _root(item, documents) for item in fields}}
    except GraphQLError as error:
        return {
            "data": None,
            "errors": [{"message": str(error), "queryPath": error.path, "errorType": "ValidationError"}],
        }


def _validate(item: Field, parent: str, path: list[str]) -> None:
    path = [*path, item.name]
    if item.name not in TYPES[parent]:
        where = "/".join(path)
        raise GraphQLError(
            f"Validation error of type FieldUndefined: Field '{item.name}' in type '{parent}' is undefined @ '{where}'",
            path,
        )
    kind = TYPES[parent][item.name]
    if bool(kind) != bool(item.fields):
        raise GraphQLError(f"Validation error of type SubSelectionRequired: '{item.name}'", path)
    for child in item.fields:
        _validate(child, kind, path)


def _root(item: Field, documents: Mapping[str, Document]) -> Any:
    if item.name == "entry":
        document = documents.get(str(item.arguments.get("entry_id", "")).lower())
        return _select(document.data, item.fields) if document else None
    wanted = item.arguments.get("entry_ids")
    if not isinstance(wanted, list) or len(wanted) > MOST_IDS:
        raise GraphQLError("Variable 'ids' has an invalid value")
    found = [documents[name.lower()] for name in wanted if name.lower() in documents]
    return [_select(document.data, item.fields) for document in reversed(found)]  # order need not follow the request


def _select(data: Any, fields: list[Field]) -> Any:
    """Return the selected fields; missing fields of an entry are null."""
    if isinstance(data, list):
        return [_select(item, fields) for item in data]
    return {
        f.name: (_select(data[f.name], f.fields) if f.fields else data[f.name]) if f.name in data else None
        for f in fields
    }


class _Parser:
    def __init__(self, text: str, variables: Json) -> None:
        self.tokens = _TOKEN.findall(text)
        self.position = 0
        self.variables = variables

    def parse(self) -> list[Field]:
        if self._peek() == "query":
            while self._peek() not in ("{", ""):
                if self._peek() == "(":
                    while self._next() != ")":
                        pass
                else:
                    self._next()
        return self._selection()

    def _selection(self) -> list[Field]:
        self._expect("{")
        fields = []
        while self._peek() != "}":
            fields.append(self._field())
        self._expect("}")
        return fields

    def _field(self) -> Field:
        name = self._next()
        if not re.fullmatch(r"[_A-Za-z]\w*", name):
            raise GraphQLError(f"Invalid syntax with offending token '{name}'")
        arguments: Json = {}
        if self._peek() == "(":
            self._next()
            while self._peek() != ")":
                key = self._next()
                self._expect(":")
                arguments[key] = self._value()
                if self._peek() == ",":
                    self._next()
            self._next()
        fields = self._selection() if self._peek() == "{" else []
        if self._peek() == ",":
            self._next()
        return Field(name, arguments, fields)

    def _value(self) -> Any:
        token = self._next()
        if token.startswith("$"):
            if token[1:] not in self.variables:
                raise GraphQLError(f"Variable '{token[1:]}' has no value")
            return self.variables[token[1:]]
        if token.startswith('"'):
            return token[1:-1]
        if token == "[":
            items = []
            while self._peek() != "]":
                items.append(self._value())
                if self._peek() == ",":
                    self._next()
            self._next()
            return items
        raise GraphQLError(f"Invalid syntax with offending token '{token}'")

    def _peek(self) -> str:
        return self.tokens[self.position] if self.position < len(self.tokens) else ""

    def _next(self) -> str:
        token = self._peek()
        if not token:
            raise GraphQLError("Invalid syntax with offending token '<EOF>'")
        self.position += 1
        return token

    def _expect(self, token: str) -> None:
        if self._next() != token:
            raise GraphQLError(f"Invalid syntax: expected '{token}'")
