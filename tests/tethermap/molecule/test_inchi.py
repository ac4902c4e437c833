"""InChIKeys of components with a metal are those of wwPDB."""

import pytest

from tests.tools.components import Known
from tethermap.molecule.inchi import component_inchi, key_of_inchi


@pytest.mark.parametrize(
    ("comp_id", "key"),
    [
        ("HEM", "KABFMIBPWCXCRK-RGGAHWMASA-L"),
        ("HEC", "HXQIYSLZKNYNMH-LJNAALQVSA-N"),
        ("HEA", "ZGGYGTCPXNDTRV-PRYGPKJJSA-L"),
        ("HDD", "UMGOPAWIGKFTRK-QQDQPIDJSA-N"),
        ("FES", "NIXDOXVAJZFRNF-UHFFFAOYSA-N"),
        ("08T", "WOGYHYSOODLXII-KWIZKVQNSA-J"),
    ],
)
def test_inchikey_of_a_metal_complex_matches(comp_id: str, key: str, known: Known) -> None:
    assert key_of_inchi(component_inchi(known(comp_id))) == key
