"""Inputs for programs that model degraders, made from a ligand and its ranked exits."""
