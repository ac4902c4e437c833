"""Read forms of the type ``multipart/form-data``, those with files and those without."""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager

from python_multipart.multipart import parse_options_header
from starlette.datastructures import FormData, UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import Request

from service.errors import InvalidField, MissingField, UnsupportedMediaType

FIELD = "files"
_FIELDS = 20
_LARGEST = 1 << 20
"""Maximum number of bytes of a field that is not a file."""


class _Parser(MultiPartParser):
    """Starlette's parser with less of each file in memory, as there may be many, and an error for a form without end.

    Starlette's loses the last part of such a form.
    """

    spool_max_size = 1 << 16
    _is_open = False

    def on_part_begin(self) -> None:
        """Note that the end is missing."""
        self._is_open = True
        super().on_part_begin()

    def on_end(self) -> None:
        """Note the end."""
        self._is_open = False

    async def parse(self) -> FormData:
        """Return the form."""
        self.stream = self._to_end(self.stream)
        return await super().parse()

    async def _to_end(self, stream: AsyncGenerator[bytes]) -> AsyncGenerator[bytes]:
        async for chunk in stream:
            yield chunk
        if self._is_open:
            raise MultiPartException("The form was cut off: its last boundary is missing.")


@asynccontextmanager
async def sent_form(
    request: Request, what: str, *, files: int, fields: int = _FIELDS, largest: int = _LARGEST, field: str = "form"
) -> AsyncIterator[FormData]:
    """Yield the form that a request carries; its files are gone afterwards.

    Parameters
    ----------
    request : Request
        A form of the type ``multipart/form-data``.
    what : str
        Content of the form, with a verb, for messages.
    files : int
        So many files it may carry.
    fields : int
        Maximum number of fields without a file.
    largest : int
        Bytes that a field without a file may have.
    field : str
        Name of the form in errors.

    Raises
    ------
    UnsupportedMediaType
        If it is not a form for files.
    InvalidField
        If it can't be read or contains too many fields or files.
    """
    media, options = parse_options_header(request.headers.get("content-type", ""))
    if media.lower() != b"multipart/form-data":
        raise UnsupportedMediaType(f"{what} sent as multipart/form-data.")
    reason = ""
    # The standard of forms allows no other characters, and Python accepts some that fail in their own ways.
    if options.get(b"charset", b"utf-8").lower() not in (b"utf-8", b"utf8"):
        reason = "is not in UTF-8"
    else:
        try:
            form = await _Parser(
                request.headers, request.stream(), max_files=files, max_fields=fields, max_part_size=largest
            ).parse()
        except MultiPartException as error:
            reason = error.message.rstrip(".")
    if reason:
        raise InvalidField(f"{field}: {reason}.", field=field, reason=reason)
    try:
        yield form
    finally:
        await form.close()


@asynccontextmanager
async def sent_files(request: Request, most: int) -> AsyncIterator[list[UploadFile]]:
    """Yield the files that a request carries in the field ``files``, `most` at most; otherwise as `sent_form`.

    Raises
    ------
    MissingField
        If it contains none.
    """
    async with sent_form(request, "Files, in the field files, are", files=most, field=FIELD) as form:
        files = files_of(form)
        if not files:
            raise MissingField("files is missing: send one file or more in it.", field=FIELD)
        yield files


def announced_length(request: Request) -> int:
    """Return the length of the body that a request announces; 1 if it announces none."""
    length = request.headers.get("content-length", "")
    return int(length) if length.isdecimal() else 1


def files_of(form: FormData) -> list[UploadFile]:
    """Return the files of a form in the field ``files``; an empty field of a browser counts as none."""
    return [file for file in form.getlist(FIELD) if isinstance(file, UploadFile) and file.filename]
