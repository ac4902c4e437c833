"""Observed exits: where the linkers of degraders in ternary complexes leave, and which atoms of others those are."""
