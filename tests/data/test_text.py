"""paddle.compat. Expected values were seen in Fluid 1.8.5."""

import pytest

from paddle import compat


def test_to_text_decodes_inside_containers():
    assert [compat.to_text(x) for x in (b"ab", "ab", None, 3)] == ["ab", "ab", None, 3]
    assert compat.to_text([b"a", "b", 1]) == ["a", "b", 1]
    assert compat.to_text({b"a", b"b"}) == {"a", "b"}
    assert compat.to_text({b"a": b"b", 1: b"c"}) == {"a": "b", 1: "c"}
    assert compat.to_text((b"a",)) == (b"a",)


def test_to_bytes_encodes_inside_containers():
    assert [compat.to_bytes(x) for x in ("é", b"ab", None)] == [b"\xc3\xa9", b"ab", None]
    assert compat.to_bytes(["a", b"b"]) == [b"a", b"b"]
    assert compat.to_bytes({"a"}) == {b"a"}
    with pytest.raises(TypeError, match="to_bytes: expected text, bytes or None, got int"):
        compat.to_bytes(3)


@pytest.mark.parametrize("obj, new", [([b"a"], ["a"]), ({b"a"}, {"a"}), ({b"a": 1}, {"a": 1})])
def test_inplace_changes_the_container_itself(obj, new):
    assert compat.to_text(obj, inplace=True) is obj
    assert obj == new
    assert compat.to_text(obj) is not obj


def test_round_goes_away_from_zero():
    assert [compat.round(x) for x in (0.5, 1.5, 2.5, -0.5, -2.5, 0.0)] == [1.0, 2.0, 3.0, -1.0, -3.0, 0.0]
    assert (compat.round(2.675, 2), compat.round(25, -1)) == (2.68, 30.0)


def test_the_rest():
    assert (compat.floor_division(7, 2), compat.floor_division(-7, 2)) == (3, -4)
    assert compat.get_exception_message(ValueError("x")) == "x"
    assert compat.long_type is int
