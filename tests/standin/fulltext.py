"""RCSB's full-text language: bare words are joined by OR, ``"a b"`` is a phrase, ``+`` AND, ``|`` OR, ``-`` NOT."""

from __future__ import annotations

import re
from collections.abc import Callable
from math import log

Matcher = Callable[["Text"], float]
"""Returns the score of a text, 0 if it doesn't match."""

_TOKENS = re.compile(r'"([^"]*)"|([()+|])|(-(?=\S))|([^\s()+|"]+)')


class Text:
    """A searchable text: its words in order, with their positions."""

    def __init__(self, text: str) -> None:
        self.words = split(text)
        self.positions: dict[str, list[int]] = {}
        for position, word in enumerate(self.words):
            self.positions.setdefault(word, []).append(position)

    def count(self, phrase: list[str]) -> int:
        """Return the number of times that the words are adjacent in this order."""
        return sum(
            self.words[start : start + len(phrase)] == phrase
            for start in self.positions.get(phrase[0], ())
        ) if phrase else 0  # fmt: skip


def split(text: str) -> list[str]:
    """Return the words of a text, lower case, without a plural's s."""
    words = "".join(c.lower() if c.isalnum() else " " for c in text).split()
    return [word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word for word in words]


def compile_query(value: str) -> Matcher:
    """Return the matcher of a full-text value."""
    return _Parser(value).parse()


class _Parser:
    def __init__(self, value: str) -> None:
        self.tokens: list[tuple[str, str]] = []
        for phrase, operator, minus, word in _TOKENS.findall(value):
            if operator or minus:
                self.tokens.append(("op", operator or minus))
            else:
                self.tokens.append(("term", phrase or word))
        self.position = 0

    def parse(self) -> Matcher:
        parts = []
        while self.position < len(self.tokens):
            if self._peek() == ")":
                self.position += 1
                continue
            parts.append(self._or())
        return _any(parts)

    def _peek(self) -> str:
        kind, text = self.tokens[self.position] if self.position < len(self.tokens) else ("", "")
        return text if kind == "op" else ""

    def _or(self) -> Matcher:
        parts = [self._and()]
        while self._peek() == "|":
            self.position += 1
            parts.append(self._and())
        return _any(parts)

    def _and(self) -> Matcher:
        parts = [self._factor()]
        while self._peek() == "+":
            self.position += 1
            parts.append(self._factor())
        return _all(parts)

    def _factor(self) -> Matcher:
        if self.position >= len(self.tokens):
            return lambda _: 0.0
        kind, text = self.tokens[self.position]
        self.position += 1
        if kind == "term":
            phrase = split(text)
            return lambda document: log(1 + document.count(phrase)) * len(phrase)
        if text == "-":
            inner = self._factor()
            return lambda document: 0.0 if inner(document) else 1e-9
        if text == "(":
            parts = []
            while self.position < len(self.tokens) and self._peek() != ")":
                parts.append(self._or())
            self.position += 1
            return _any(parts)
        return lambda _: 0.0


def _any(parts: list[Matcher]) -> Matcher:
    return lambda text: sum(part(text) for part in parts)


def _all(parts: list[Matcher]) -> Matcher:
    def match(text: Text) -> float:
        scores = [part(text) for part in parts]
        return sum(scores) if all(scores) else 0.0

    return match
