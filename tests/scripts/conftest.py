from tests.standin.fixtures import served, standin
from tests.tethermap.conftest import index, known

__all__ = ["index", "known", "served", "standin"]
