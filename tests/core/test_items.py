"""What sources yield beside scenes."""

from counterpoint.core.items import Frame, Role
from counterpoint.core.pictures import Picture


def test_a_frame_finds_its_roles_by_name() -> None:
    frame = Frame("1", Picture("swig:kicking_7.jpg"), "kicking", (Role("agent", "boy"), Role("item", "ball")))
    assert frame.role("item") == Role("item", "ball")
    assert frame.role("tool") is None
