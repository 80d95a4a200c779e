"""HTTP connections with deadlines: half a request, and a visitor who reads nothing, do not hold a connection."""

from asyncio import TimerHandle, Transport

from uvicorn.protocols.http.h11_impl import H11Protocol

SEND_SECONDS = 60.0
"""Seconds for which a response waits until the visitor reads on."""


class HttpConnection(H11Protocol):
    """The protocol of uvicorn, which has a deadline between requests only, with those that it lacks.

    The headers of a request have to arrive within `header_seconds` from when a connection begins to wait for one. Of
    more than `max_connections` at the same time the last are closed at once, so that open files remain for the lab.
    """

    header_seconds, max_connections = 10.0, 512
    _headers_due: TimerHandle | None = None
    _reading_due: TimerHandle | None = None

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override] # as uvicorn declares it
        """Wait for the first request."""
        super().connection_made(transport)
        if len(self.connections) > self.max_connections:
            transport.abort()
        self._await_headers()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the deadlines."""
        self._cancel(self._headers_due, self._reading_due)
        super().connection_lost(exc)

    def on_response_complete(self) -> None:
        """Wait for the next request; what is left of the body of this one counts as a part of the waiting."""
        super().on_response_complete()
        self._await_headers()

    def pause_writing(self) -> None:
        """Wait until the visitor reads on."""
        super().pause_writing()
        self._cancel(self._reading_due)
        self._reading_due = self.loop.call_later(SEND_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        """Go on with the response."""
        self._cancel(self._reading_due)
        super().resume_writing()

    def _await_headers(self) -> None:
        self._cancel(self._headers_due)
        self._headers_due = self.loop.call_later(self.header_seconds, self._close_if_waiting)

    def _close_if_waiting(self) -> None:
        if self.cycle is None or self.cycle.response_complete:
            self.transport.abort()

    @staticmethod
    def _cancel(*timers: TimerHandle | None) -> None:
        for timer in timers:
            if timer is not None:
                timer.cancel()
