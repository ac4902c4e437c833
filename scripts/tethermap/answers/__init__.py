"""Answers: exits of a ligand combined over all its copies in one binding site."""
