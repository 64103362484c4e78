"""What becomes of a request between its result and the end of the program that has it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path

import pytest

from agent_wallet import AgentWallet, FileStore, MemoryStore, PendingRequest, WalletOptions, forgetting

from .clients import Clients
from .scripted_service import ScriptedService, success, token_of

DONE = {'transactionStatus': 'confirmed'}
SOURCE = Path(__file__).parent.parent / 'src'
PROGRAMS = {
    'sync': """
from agent_wallet import AgentWallet, FileStore, WalletOptions

wallet = AgentWallet(WalletOptions({url!r}, store=FileStore({folder!r})), {token!r})
print(wallet.transfer(to='R', amount='1')['transactionStatus'], flush=True)
{then}
""",
    'async': """
import asyncio
from agent_wallet import AsyncAgentWallet, FileStore, WalletOptions

async def main():
    async with AsyncAgentWallet(WalletOptions({url!r}, store=FileStore({folder!r})), {token!r}) as wallet:
        print((await wallet.transfer(to='R', amount='1'))['transactionStatus'], flush=True)
        {then}

asyncio.run(main())
""",
}


@dataclass(frozen=True)
class Shop:
    """A program that pays once in each run, with one store for all its runs."""

    kind: str
    service: ScriptedService
    folder: Path

    def run(self, then: str = 'pass', kill: bool = False) -> list[str]:
        """Pays, and returns the keys that the service saw."""
        self.service.script(success(DONE))
        text = PROGRAMS[self.kind].format(url=self.service.url, folder=str(self.folder), token=token_of('agent'), then=then)
        environment = {**os.environ, 'PYTHONPATH': str(SOURCE)}
        command = [sys.executable, '-c', text]
        with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
            assert process.stdout
            assert process.stdout.readline() == b'confirmed\n'
            if kill:
                process.send_signal(signal.SIGKILL)
        return self.service.keys()


@pytest.fixture
def shop(service: ScriptedService, clients: Clients, tmp_path: Path) -> Shop:
    return Shop(clients.kind, service, tmp_path / 'store')


@pytest.mark.skipif(os.name == 'nt', reason='Windows has no SIGKILL')
def test_gives_the_result_again_after_a_death_before_it_was_reported(shop: Shop) -> None:
    first = shop.run(then='import threading; threading.Event().wait()', kill=True)
    assert shop.run() == first
    assert shop.run() != first


def test_gives_the_result_again_after_an_error_before_it_was_reported(shop: Shop) -> None:
    first = shop.run(then='raise OSError')
    assert shop.run() == first


@pytest.mark.parametrize('then', ['pass', 'import sys; sys.exit(1)'])
def test_forgets_the_request_of_a_program_that_ends_well(shop: Shop, then: str) -> None:
    first = shop.run(then)
    assert os.listdir(shop.folder) == []
    assert shop.run(then) != first


def test_gives_an_equal_call_right_after_a_key_of_its_own(service: ScriptedService, clients: Clients) -> None:
    options = WalletOptions(service.url, store=MemoryStore())
    service.script(success(DONE))
    wallet = clients.wallet(options, token_of('agent'))
    wallet.transfer(to='R', amount='1')
    wallet.transfer(to='R', amount='1')
    clients.wallet(options, token_of('agent')).transfer(to='R', amount='1')
    assert len(service.keys()) == 3
    assert list(wallet.pending()) == []


def test_forgets_a_moment_after_the_result(service: ScriptedService, clients: Clients, monkeypatch: pytest.MonkeyPatch) -> None:
    class Store(MemoryStore):
        def remove(self, key: str) -> None:
            super().remove(key)
            removed.release()

    removed = threading.Semaphore(0)
    store = Store()
    monkeypatch.setattr(forgetting, '_DELAY', 0.01)
    service.script(success(DONE))
    wallet = clients.wallet(WalletOptions(service.url, store=store), token_of('agent'))
    for _ in range(3):
        wallet.transfer(to='R', amount='1')
        assert removed.acquire(timeout=10)
        assert store.list() == ()


def test_keeps_the_result_of_a_store_that_fails_to_forget(service: ScriptedService, clients: Clients) -> None:
    class Store(MemoryStore):
        def remove(self, key: str) -> None:
            raise OSError

    store = Store()
    service.script(success(DONE))
    wallet = clients.wallet(WalletOptions(service.url, store=store), token_of('agent'))
    assert wallet.transfer(to='R', amount='1') == DONE
    wallet.close()
    assert [request.key for request in store.list()] == service.keys()


def test_forgets_at_the_end_of_a_block_unless_it_fails(service: ScriptedService, tmp_path: Path) -> None:
    def kept() -> list[PendingRequest]:
        return list(FileStore(tmp_path).list())

    service.script(success(DONE))
    with AgentWallet(WalletOptions(service.url, store=FileStore(tmp_path)), token_of('agent')) as wallet:
        wallet.transfer(to='R', amount='1')
        assert len(kept()) == 1
    assert kept() == []
    with (
        pytest.raises(OSError),
        AgentWallet(WalletOptions(service.url, store=FileStore(tmp_path)), token_of('agent')) as wallet,
    ):
        wallet.transfer(to='R', amount='1')
        raise OSError
    assert len(kept()) == 1
