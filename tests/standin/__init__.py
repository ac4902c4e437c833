"""A local stand-in of the RCSB PDB and PDBe services, serving the entries of a folder."""

from tests.standin.faults import Fault
from tests.standin.server import StandIn

__all__ = ["Fault", "StandIn"]
