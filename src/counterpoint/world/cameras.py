"""From where a scene is seen: the level of the eye, and with it how large things are at each depth."""

from dataclasses import dataclass
from random import Random

from counterpoint.core.pictures import Size
from counterpoint.world.painting import FINE

PICTURE = Size(320, 240)
CANVAS = Size(PICTURE.width * FINE, PICTURE.height * FINE)


@dataclass(frozen=True, slots=True)
class Camera:
    """A pinhole above level ground. All lengths are canvas pixels but for `eye`, its height in stage centimetres."""

    horizon: int
    eye: int
    back: int  # where the ground begins: the foot of a wall, or the far edge of where things may stand
    front: int  # the nearest ground line

    def pixels(self, centimetres: int, y: int, per_cent: int = 100) -> int:
        """How long a thing is on the canvas if it stands on the ground line at `y`."""
        return centimetres * (y - self.horizon) * per_cent // (self.eye * 100)

    def nearest(self, centimetres: int, per_cent: int, most: int) -> int:
        """The nearest ground line at which a thing is at most so many pixels high."""
        return self.horizon + most * self.eye * 100 // (centimetres * per_cent)


def indoor_camera(rng: Random) -> Camera:
    """Somebody in the room, looking slightly down at the opposite wall."""
    horizon = rng.randint(90, 170)
    return Camera(horizon, rng.randint(122, 152), horizon + rng.randint(265, 325), 700)


def outdoor_camera(rng: Random) -> Camera:
    """Somebody standing, or squatting, in the open."""
    horizon = rng.randint(170, 290)
    return Camera(horizon, rng.randint(106, 146), horizon + rng.randint(92, 134), 700)
