from tests.standin.fixtures import served, standin

__all__ = ["served", "standin"]
