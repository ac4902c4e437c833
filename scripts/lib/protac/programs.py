"""The programs that model degraders for which there are inputs."""

PROGRAMS = ("prosettac", "protac_ternary", "deepternary")
"""Those whose files a job can write by itself."""

ON_DEMAND = ("p4ward", "af3", "boltz", "chai")
"""Those whose files are made when they are asked for."""

TOOLS = (*PROGRAMS, *ON_DEMAND, "json")
"""What inputs can be made for: programs, each with a folder of its own, and exits and fragments as JSON files."""

NO_INPUTS, NO_MOLECULE = 3, 4
"""Exit status of scripts that make inputs where there are none for what was asked, and where a SMILES that was given
is none; standard error says why."""

MOST_SMILES = 1000
"""Longest SMILES of a degrader that is taken."""

FORMATS = ("json", "csv", "sdf")
"""How degraders that were made can be had."""

MOST_DEGRADERS = 1000
"""Most molecules of one answer."""
