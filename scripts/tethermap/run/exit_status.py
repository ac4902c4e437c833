"""Exit statuses of scripts that make one answer on demand; standard error has the reason."""

NO_INPUTS = 3
"""There is nothing for the ligand and atom of the request."""

NO_MOLECULE = 4
"""The SMILES of the request, or the first of them, is no molecule."""

NO_SECOND_MOLECULE = 5
"""The second SMILES of the request is no molecule."""
