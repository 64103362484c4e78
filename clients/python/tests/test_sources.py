from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import get_type_hints

import pytest

from agent_wallet import types

ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize('name', ['example', 'example_async', 'example_faucet', 'example_tokens', 'example_tools'])
def test_shows_examples_whose_types_are_checked(name: str) -> None:
    example = (ROOT / 'tests' / f'{name}.py').read_text(encoding='utf-8')
    assert example.strip() in (ROOT / 'README.md').read_text(encoding='utf-8')


def test_loads_no_client_of_http_and_no_types_before_they_are_used() -> None:
    program = 'import sys, agent_wallet; print(*sorted({"httpx", "agent_wallet._generated"} & set(sys.modules)))'
    run = subprocess.run(
        [sys.executable, '-c', program], env={'PYTHONPATH': str(ROOT / 'src')}, capture_output=True, check=True
    )
    assert run.stdout.decode().split() == []


def test_evaluates_the_types_of_answers_while_it_runs() -> None:
    kinds = [each for each in vars(types).values() if isinstance(each, type) and hasattr(each, '__required_keys__')]
    assert len(kinds) > 150
    for kind in kinds:
        assert get_type_hints(kind) is not None
