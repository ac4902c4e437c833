"""A cache of the entries that were used last."""

from collections import OrderedDict
from collections.abc import Callable
from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Lru(OrderedDict[K, V]):
    """A mapping that drops the entries used least recently.

    Parameters
    ----------
    most : float
        Maximum size of all entries together.
    size : callable or None
        Returns the size of an entry by its key and value; None counts each as 1.
    """

    def __init__(self, most: float, size: Callable[[K, V], float] | None = None) -> None:
        super().__init__()
        self._most = most
        self._size = size

    def use(self, key: K) -> V | None:
        """Return an entry and note that it is in use; None if there is none."""
        if key not in self:
            return None
        self.move_to_end(key)
        return self[key]

    def keep(self, key: K, value: V) -> None:
        """Add or replace an entry; one that is larger than the cache is not added."""
        self.pop(key, None)
        if self._size is not None and self._size(key, value) > self._most:
            return
        self[key] = value
        size = self._size
        total = len(self) if size is None else sum(map(size, self, self.values()))
        while total > self._most:
            dropped = self.popitem(last=False)
            total -= 1 if size is None else size(*dropped)
