"""Texts of the pages, in one file of the folder `texts` for each area."""

from pathlib import Path

from tethermap.base.texts import read_texts

FOLDER = Path(__file__).with_name("texts")
TEXTS = read_texts(FOLDER)
