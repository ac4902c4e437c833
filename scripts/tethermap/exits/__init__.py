"""Exit vectors: the places where a linker can leave a bound ligand."""
