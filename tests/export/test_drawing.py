"""inspect --graph: an SVG in which every operator has its box, and none lies on another."""

import re
from itertools import combinations
from operator import mul
from xml.etree import ElementTree

import pytest
from tests.cpp.test_prediction import save
from tests.export.models import FOLDER, MODELS
from tests.export.test_networks import transformer

from refluid.__main__ import main
from refluid.export.drawing.layout import lay_out

SVG = "{http://www.w3.org/2000/svg}"


def drawn(name, tmp_path):
    assert main(["inspect", str(FOLDER / name / "combined"), "--graph", str(tmp_path / "net.svg")]) in (0, 2)
    return ElementTree.fromstring((tmp_path / "net.svg").read_bytes())


def boxes(root):
    return [
        tuple(float(one.get(key)) for key in ("x", "y", "width", "height"))
        for one in root.iter(f"{SVG}rect")
        if "box" in one.get("class", "")
    ]


def points(path):
    """Points along an arrow: the ends of its pieces, and many between them."""
    x, y = 0.0, 0.0
    for kind, text in re.findall(r"([MLC])([^MLC]*)", path):
        *bends, end = pairwise_numbers(text)
        (a, b), (c, d) = bends or [(x, y), end]
        for t in (i / 50 for i in range(51)):
            weights = ((1 - t) ** 3, 3 * (1 - t) ** 2 * t, 3 * (1 - t) * t * t, t**3)
            if kind != "M":
                yield tuple(sum(map(mul, weights, row)) for row in ((x, a, c, end[0]), (y, b, d, end[1])))
        x, y = end


def pairwise_numbers(text):
    numbers = [float(number) for number in text.split()]
    return list(zip(numbers[::2], numbers[1::2]))


def overlap(a, b):
    return a[0] < b[0] + b[2] and b[0] < a[0] + a[2] and a[1] < b[1] + b[3] and b[1] < a[1] + a[3]


@pytest.mark.parametrize("name", [*MODELS, "looping"])
def test_no_box_lies_on_another_and_all_are_inside(name, tmp_path):
    root = drawn(name, tmp_path)
    found = boxes(root)
    width, height = float(root.get("width")), float(root.get("height"))
    assert not [pair for pair in combinations(found, 2) if overlap(*pair)]
    assert all(x >= 0 and y >= 0 and x + w <= width and y + h <= height for x, y, w, h in found)


def test_no_arrow_passes_a_box(tmp_path):
    save(transformer, tmp_path)
    assert main(["inspect", str(tmp_path), "--graph", str(tmp_path / "net.svg")]) == 0
    root = ElementTree.fromstring((tmp_path / "net.svg").read_bytes())
    found = boxes(root)
    arrows = [one.get("d") for one in root.iter(f"{SVG}path") if one.get("class") == "arrow"]
    assert len(arrows) > 40
    for arrow in arrows:
        for x, y in points(arrow):
            assert not [box for box in found if box[0] < x < box[0] + box[2] and box[1] + 1 < y < box[1] + box[3] - 1]


def test_every_operator_is_named_with_its_shape_and_parameters(tmp_path):
    root = drawn("lenet", tmp_path)
    texts = [[one.text for one in group.iter(f"{SVG}text")] for group in root.iter(f"{SVG}g")]
    assert texts[:4] == [
        ["img", "float32 [-1, 1, 20, 20]"],
        ["conv2d", "[-1, 4, 16, 16]", "Filter [4, 1, 5, 5]"],
        ["elementwise_add", "[-1, 4, 16, 16]", "Y [4]"],
        ["relu", "[-1, 4, 16, 16]"],
    ]
    assert len(texts) == 1 + 12 + 1
    assert len([one for one in root.iter(f"{SVG}path") if one.get("class") == "arrow"]) == 13


def test_a_large_network_stays_a_page(tmp_path):
    root = drawn("resnet50", tmp_path)
    assert len(boxes(root)) == 1 + 176 + 1
    assert max(float(root.get("width")), float(root.get("height"))) < 3000
    assert (tmp_path / "net.svg").stat().st_size < 150_000


def test_arrows_point_down():
    arrows = [(0, 1), (0, 2), (1, 3), (2, 3), (0, 3), (3, 4)]
    layout = lay_out([(50.0, 20.0)] * 5, arrows)
    assert all(layout.places[a].y < layout.places[b].y for a, b in arrows)
    assert len(layout.routes[0, 3]) == 1  # the long arrow has a place of its own beside boxes 1 and 2
    lane = layout.routes[0, 3][0].x
    assert all(not layout.places[box].x <= lane <= layout.places[box].x + 50 for box in (1, 2))


def test_names_are_escaped(tmp_path):
    data = (FOLDER / "linear" / "combined" / "model").read_bytes()
    (tmp_path / "__model__").write_bytes(data.replace(b"fc_0.tmp_0", b"<&>'\"tmp_0"))
    assert main(["inspect", str(tmp_path), "--graph", str(tmp_path / "net.svg")]) == 0
    titles = [one.text for one in ElementTree.parse(tmp_path / "net.svg").iter(f"{SVG}title")]
    assert any("<&>'\"tmp_0" in title for title in titles)
