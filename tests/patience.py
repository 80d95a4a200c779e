"""How long a test waits for what must happen: only a failure takes that long, however busy the machine is."""

SECONDS = 300.0
