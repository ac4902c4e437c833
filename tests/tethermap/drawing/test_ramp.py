import numpy as np
import pytest

from tests.tethermap.drawing.colours import linear
from tethermap.drawing.ramp import STOPS, UNKNOWN, exposure_colour

# Machado 2009, doi:10.1109/TVCG.2009.113: full loss of one kind of cone, on linear RGB
LOSSES = {
    "protan": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deutan": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritan": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}


def lab(rgb: tuple[int, ...], loss: str | None) -> np.ndarray:
    """Return CIE L*a*b* (D65) of an sRGB colour as seen with a loss of colour vision."""
    light = linear([value / 255 for value in rgb])
    if loss:
        light = np.clip(np.array(LOSSES[loss]) @ light, 0, 1)
    matrix = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    x, y, z = np.cbrt(matrix @ light / [0.9505, 1.0, 1.089])
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("loss", [None, *LOSSES])
def test_buried_half_and_open_differ_for_every_kind_of_colour_vision(loss: str | None) -> None:
    low, middle, high = (lab(rgb, loss) for _, rgb in STOPS)
    assert np.linalg.norm(low - high) > 40
    assert np.linalg.norm(low - middle) > 25
    assert np.linalg.norm(middle - high) > 25


@pytest.mark.parametrize("loss", [None, *LOSSES])
def test_lightness_rises_evenly_with_exposure_so_that_the_ramp_is_clear_in_grey(loss: str | None) -> None:
    colours = (exposure_colour(step / 20).removeprefix("#") for step in range(21))
    lightness = np.array([lab(tuple(bytes.fromhex(colour)), loss)[0] for colour in colours])
    steps = np.diff(lightness)
    assert steps.min() > 0
    assert steps.max() < 4
    assert lightness[-1] - lightness[0] > 30


@pytest.mark.parametrize(
    ("value", "colour"),
    [(0.0, "#2c4896"), (0.5, "#888089"), (1.0, "#ffa733"), (-0.1, "#2c4896"), (1.2, "#ffa733"), (None, UNKNOWN),
     (float("nan"), UNKNOWN)],
)  # fmt: skip
def test_ends_and_middle_have_their_colours_and_other_values_are_clipped(value: float | None, colour: str) -> None:
    assert exposure_colour(value) == colour
