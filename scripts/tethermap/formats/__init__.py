"""Normalisation of structure files of any format and program to the text that the wwPDB would write."""
