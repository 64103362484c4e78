"""Amounts, exact to the digit."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import TypeAlias, cast


class BaseUnits(int):
    """A number of base units of a token: `BaseUnits(64_100_000)`."""


Amount: TypeAlias = str | Decimal | BaseUnits
"""
An amount: decimal text (`'64.1'`) or a `Decimal` in the token's standard unit, or `BaseUnits(64_100_000)`. A bare int is none,
because it could mean either unit, and a float is none, because most decimal fractions have no exact double.
"""

_DECIMAL = re.compile(r'(?:0|[1-9][0-9]*)(?:\.[0-9]+)?')
_SURROGATE = re.compile('[\ud800-\udfff]')


def exact_number(value: object, name: str) -> Decimal:
    """
    Takes decimal text as a number that keeps its digits.

    Raises TypeError for anything that is not text or a Decimal, ValueError for other text.
    """
    if isinstance(value, Decimal):
        text = format(value, 'f')
    elif isinstance(value, str):
        text = value
    else:
        raise TypeError(f"{name} must be decimal text such as '64.1' or a Decimal, not {_described(value)}")
    if not _DECIMAL.fullmatch(text):
        raise ValueError(f"{name} must be decimal text such as '64.1', not {text!r}")
    return Decimal(text)


def amount_field(name: str, amount: Amount | None) -> dict[str, object]:
    """Returns the field of a request for an amount: `name` for the standard unit, `nameRaw` for base units."""
    if amount is None:
        return {}
    given = cast('object', amount)
    if isinstance(given, int) and not isinstance(given, (bool, BaseUnits)):
        raise TypeError(f"{name} must name its unit: write '{given}' for the token's own, or BaseUnits({given})")
    if not isinstance(amount, BaseUnits):
        return {name: exact_number(amount, name)}
    if amount <= 0:
        raise ValueError(f'{name} must be greater than 0')
    return {f'{name}Raw': str(amount)}


def write_body(value: object) -> str:
    """
    Writes a body as JSON, to the byte as the SDK for TypeScript does: a Decimal by its digits, fields that are None as null.
    A float is a TypeError.
    """
    if isinstance(value, Decimal):
        if not value.is_finite():
            raise ValueError(f'{value} is not a number that JSON has')
        return format(value, 'f')
    if isinstance(value, float):
        raise TypeError(f'A number must be exact, not {_described(value)}')
    if isinstance(value, Mapping):
        fields = cast('Mapping[str, object]', value)
        return '{' + ','.join(f'{write_body(name)}:{write_body(part)}' for name, part in fields.items()) + '}'
    if isinstance(value, Sequence) and not isinstance(value, (str, bytes)):
        return '[' + ','.join(write_body(part) for part in cast('Sequence[object]', value)) + ']'
    # UTF-8 has no half of a pair.
    return _SURROGATE.sub(lambda half: f'\\u{ord(half[0]):04x}', json.dumps(value, ensure_ascii=False))


def _described(value: object) -> str:
    return f"the float {value!r}: write '{value!r}'" if isinstance(value, float) else repr(value)
