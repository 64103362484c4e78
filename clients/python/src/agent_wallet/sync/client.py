"""The calls of one session."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ..routes import Page, Routes
from ..stores import PendingRequest
from ..transport import WalletOptions
from .driver import Driver
from .pages import Pages

if TYPE_CHECKING:
    import httpx

    from ..operations import OperationOptions, ResumeOptions


class Client:
    """The routes of the API, driven."""

    def __init__(self, options: WalletOptions, token: str | None, client: httpx.Client | None) -> None:
        self.routes = Routes(options, token)
        self.driver = Driver(options, client)

    def get(self, path: str, *, params: Mapping[str, str] | None = None, query: Mapping[str, object] | None = None) -> object:
        """Reads a route."""
        return self.driver.run(self.routes.get(path, params or {}, query or {}))

    def send(
        self, method: str, path: str, body: Mapping[str, object] | None = None, headers: Mapping[str, str] | None = None
    ) -> object:
        """Sends a change that has no key, once."""
        return self.driver.run(self.routes.send(method, path, body, headers))

    def run(self, path: str, kind: type, call: Mapping[str, object]) -> object:
        """Runs an operation to its end."""
        return self.driver.run(self.routes.run(path, kind, call))

    def call(self, method: str, path: str, params: Mapping[str, str], query: Mapping[str, object], body: str | None) -> object:
        """Makes a request without a key."""
        return self.driver.run(self.routes.call(method, path, params, query, body))

    def act(self, path: str, params: Mapping[str, str], body: str, options: OperationOptions) -> object:
        """Runs any operation to its end."""
        return self.driver.run(self.routes.act(path, params, body, options))

    def resume(self, request: PendingRequest, options: ResumeOptions) -> object:
        """Goes on with a pending request to its end."""
        return self.driver.run(self.routes.resume(request, options))

    def dry_run(self, path: str, kind: type, order: Mapping[str, object]) -> object:
        """Asks what an operation would come to."""
        return self.driver.run(self.routes.dry_run(path, kind, order))

    def pages(self, path: str, query: Mapping[str, object], names: tuple[str, str]) -> Pages[object]:
        """Returns a list, whose data names its entries and its cursor."""

        def read(cursor: str | None) -> Page[object]:
            return self.driver.run(self.routes.page(path, {**query, 'cursor': cursor}, names))

        return Pages(read)
