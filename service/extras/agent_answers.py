"""Answers of the Model Context Protocol."""

from __future__ import annotations

from service.http.answer import Answer, Map


class McpResultAnswer(Answer):
    """The result of a call."""

    jsonrpc: str
    id: str | int | float
    result: Map


class McpFailureAnswer(Answer):
    """Why a message could not be answered."""

    jsonrpc: str
    id: str | int | float | None
    error: Map
