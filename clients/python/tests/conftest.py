from __future__ import annotations

from collections.abc import Iterator

import pytest

from .clients import Clients
from .scripted_service import ScriptedService


@pytest.fixture(scope='session')
def service() -> Iterator[ScriptedService]:
    service = ScriptedService()
    yield service
    service.stop()


@pytest.fixture(params=['sync', 'async'])
def clients(request: pytest.FixtureRequest) -> Iterator[Clients]:
    clients = Clients(str(request.param))
    yield clients
    clients.close()
