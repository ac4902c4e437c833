"""The cache of the entries that were used last."""

from hypothesis import given, strategies as st

from service.lru import Lru


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 9))), st.integers(0, 20))
def test_entries_fit_and_the_last_that_fits_exists(entries: list[tuple[int, int]], most: int) -> None:
    cache: Lru[int, int] = Lru(most, lambda _, size: size)
    for key, size in entries:
        before = dict(cache)
        cache.keep(key, size)
        assert sum(cache.values()) <= most
        assert cache.get(key) == (size if size <= most else None)
        if size > most:
            before.pop(key, None)
            assert dict(cache) == before
