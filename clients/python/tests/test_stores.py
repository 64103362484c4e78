from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from agent_wallet import AgentWallet, FileStore, PendingRequest, WalletOptions

from .scripted_service import ScriptedService, silence, success, token_of

REQUEST = PendingRequest(key='a/b …', holder='agent', path='/p', body='{"amount":0.1}', sent_at=1.5)
# The file that the SDK for TypeScript writes.
NAME = 'YS9iIOKApg.pending.json'
TEXT = '{"key":"a/b …","holder":"agent","path":"/p","body":"{\\"amount\\":0.1}","sentAtMs":1500}'


def test_survives_the_process_and_files_that_are_half_written(tmp_path: Path) -> None:
    folder = tmp_path / 'deep' / 'folder'
    FileStore(folder).save(REQUEST)
    (folder / 'half.pending.json').write_text('{"key":"k"', encoding='utf-8')
    (folder / 'odd.pending.json').write_text('[1]', encoding='utf-8')
    second = FileStore(folder)
    assert second.list() == (REQUEST,)
    second.remove(REQUEST.key)
    second.remove(REQUEST.key)
    assert second.list() == ()
    assert sorted(os.listdir(folder)) == ['half.pending.json', 'odd.pending.json']
    assert FileStore(tmp_path / 'missing').list() == ()


def test_reads_and_writes_the_files_of_the_sdk_for_typescript(tmp_path: Path) -> None:
    FileStore(tmp_path).save(REQUEST)
    assert os.listdir(tmp_path) == [NAME]
    assert (tmp_path / NAME).read_text(encoding='utf-8') == TEXT


@pytest.mark.skipif(os.name == 'nt', reason='Windows has other permissions')
def test_keeps_requests_from_other_users(tmp_path: Path) -> None:
    folder = tmp_path / 'store'
    before = os.umask(0)
    try:
        FileStore(folder).save(REQUEST)
    finally:
        os.umask(before)
    assert folder.stat().st_mode & 0o777 == 0o700
    assert (folder / NAME).stat().st_mode & 0o777 == 0o600


@pytest.mark.skipif(os.name == 'nt', reason='Windows has no SIGKILL')
def test_goes_on_after_the_death_of_a_process_with_its_key(service: ScriptedService, tmp_path: Path) -> None:
    program = f"""
from agent_wallet import AgentWallet, FileStore, WalletOptions
wallet = AgentWallet(WalletOptions({service.url!r}, store=FileStore({str(tmp_path)!r})), {token_of('agent')!r})
wallet.transfer(to='R', amount='1')
"""
    source = Path(__file__).parent.parent / 'src'
    service.script(silence)
    with subprocess.Popen([sys.executable, '-c', program], env={**os.environ, 'PYTHONPATH': str(source)}) as process:
        while not service.seen:
            assert process.poll() is None
        process.send_signal(signal.SIGKILL)
    [key] = service.keys()
    service.script(success({}))
    with AgentWallet(WalletOptions(service.url, store=FileStore(tmp_path)), token_of('agent')) as wallet:
        assert [each.key for each in wallet.pending()] == [key]
        wallet.transfer(to='R', amount='1')
        assert service.keys() == [key]
        assert wallet.pending() == []
    assert os.listdir(tmp_path) == []
