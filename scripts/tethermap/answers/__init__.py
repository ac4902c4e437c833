"""Answers: what all copies of a ligand in one binding site say of its exits."""
