"""Connections that cost the server nothing: a silent one is closed, and none shuts out the owner of the page."""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol

from speicher_apps.web.security import TRUSTED

__all__ = ["MAX_CONNECTIONS", "SILENT_SECONDS", "TRUSTED_SILENT_SECONDS", "BoundedConnection"]

MAX_CONNECTIONS = 400
"""At a time. One more takes the place of a silent one; if all are busy, it is closed."""
SILENT_SECONDS = 10.0
"""A connection is closed when it has no whole request for this long, or does not read its answer."""
TRUSTED_SILENT_SECONDS = 60.0
"""The same after a request that knew the token."""


class BoundedConnection(H11Protocol):
    """One connection to the server."""

    _silent_since = 0.0
    _unread = False
    _watch: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Accept the connection if there is room."""
        super().connection_made(transport)
        self._silent_since = self.loop.time()
        self._watch = self.loop.call_later(SILENT_SECONDS, self._check)
        if len(self.connections) > MAX_CONNECTIONS:
            self._make_room()

    def _make_room(self) -> None:
        others = [other for other in self.connections if isinstance(other, BoundedConnection) and other is not self]
        silent = [other for other in others if not other._busy]
        strangers = [other for other in silent if not other._trusted]
        (min(strangers or silent, key=lambda other: other._silent_since) if silent else self)._drop()

    @property
    def _busy(self) -> bool:
        """Whether a request is being answered."""
        return self.cycle is not None and not self.cycle.response_complete  # type: ignore[redundant-expr]  # at first None

    @property
    def _trusted(self) -> bool:
        """Whether the last request knew the token."""
        return self.scope is not None and TRUSTED in self.scope  # type: ignore[redundant-expr]  # at first None

    def _check(self) -> None:
        """Close the connection if it is silent, and look again later if not."""
        self._watch = None
        if self.transport.is_closing():
            return
        wait = TRUSTED_SILENT_SECONDS if self._trusted else SILENT_SECONDS
        left = self._silent_since + wait - self.loop.time()
        if self._busy:
            unread, self._unread = self._unread, self.flow.write_paused
            left = 0.0 if unread and self._unread else SILENT_SECONDS
        if left <= 0:
            self._drop()
        else:
            self._watch = self.loop.call_later(left, self._check)

    def _drop(self) -> None:
        self.connections.discard(self)
        self.transport.abort()

    def on_response_complete(self) -> None:
        """Count the silence from here."""
        self._silent_since = self.loop.time()
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop watching."""
        if self._watch is not None:
            self._watch.cancel()
        super().connection_lost(exc)
