"""Degraders as molecules: two halves and a linker joined by common reactions, and taken apart again."""
