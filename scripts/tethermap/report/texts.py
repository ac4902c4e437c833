"""Texts of the report, in one file of the folder `texts` for each area; its methods are `templates/methods.txt.j2`."""

from pathlib import Path

from tethermap.base.texts import read_texts

FOLDER = Path(__file__).with_name("texts")
TEXTS = read_texts(FOLDER)
