"""Base classes and parts of responses."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, SkipValidation, WithJsonSchema
from typing_extensions import TypedDict

from service.errors import STATUSES
from tethermap.base.column_words import words_of
from tethermap.base.tables import Column, Table


class Answer(BaseModel):
    """An answer or a part of one; its fields are sent in their order.

    The record or row that it is made from may have more. Models of table values are built by `model_construct`:
    a cell of another version is sent unchanged.
    """

    model_config = ConfigDict(from_attributes=True, json_schema_serialization_defaults_required=True)


Yes = Literal[True]
Count = Annotated[int, WithJsonSchema({"type": "integer", "minimum": 0})]
Place = Annotated[int, WithJsonSchema({"type": "integer", "minimum": 1})]
Number = Annotated[int | float, WithJsonSchema({"type": "number"})]
Time = Annotated[
    str, WithJsonSchema({"type": "string", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$"})
]
Url = Annotated[str, WithJsonSchema({"type": "string", "pattern": "^/"})]
Map = dict[str, Any]
Maps = Annotated[Sequence[Mapping[str, Any]], SkipValidation]
"""Rows of a table, of any number: sent without validation."""

_KINDS: dict[str, Any] = {"text": str, "integer": int | None, "number": Number | None, "flag": bool | None}


def row_type(name: str, table: Table, *, some: bool = False, **more: Any) -> Any:
    """Return the type of a table's rows as JSON, with `more` fields before its columns.

    Parameters
    ----------
    name : str
        Name of the schema.
    table : Table
        Its columns are fields.
    some : bool
        Whether a client may select columns; then no column is required.
    **more
        Types of further fields.
    """
    columns = {column.name: _described(table, column) for column in table.columns}
    new_type: Any = TypedDict
    row = new_type(name, {**more, **columns})

    def without_optional(schema: Map) -> None:  # NotRequired does not get through to the schema of answers
        schema["description"] = f"Row of the table {table.title}."
        schema["required"] = [one for one in schema["required"] if one in (*more, *(() if some else table.usual.names))]

    row.__pydantic_config__ = ConfigDict(json_schema_extra=without_optional)
    return row


def _described(table: Table, column: Column) -> Any:
    """Return the type of a column's cells with the words for it, where it has any."""
    kind = _KINDS[column.kind]
    words = words_of(table, column.name)
    return Annotated[kind, Field(description=words.meaning)] if words else kind


class Success(Answer):
    """Common fields of most responses."""

    ok: Yes = True


class OfJob(Success):
    """Common fields of most responses about a job."""

    job_id: str


class Counted(OfJob):
    """Common fields of lists of a job: the number of items in the response, and of all."""

    count: Count
    total: Count


class Paged(Answer):
    """Common fields of paged lists, which precede the list."""

    total: Count
    limit: Count
    offset: Count
    next: Url | None
    prev: Url | None


class ErrorReason(Answer):
    """Code, message and details of an error."""

    code: Annotated[str, WithJsonSchema({"enum": sorted(STATUSES)})]
    message: str
    details: Map


class ErrorAnswer(Answer):
    """Body of every error."""

    ok: Literal[False] = False
    error: ErrorReason
    request_id: str


class WesErrorAnswer(Answer):
    """Body of every error, in the format of GA4GH's Workflow Execution Service."""

    msg: str
    status_code: int
