"""Writes the types of the API: python generate_types.py openapi.json"""

from __future__ import annotations

import hashlib
import json
import keyword
import re
import sys
from pathlib import Path
from typing import Any, cast

Schema = dict[str, Any]

PACKAGE = Path(__file__).parent / 'src' / 'agent_wallet'
SIMPLE = {'string': 'str', 'integer': 'int', 'number': 'Number', 'boolean': 'bool', 'null': 'None'}
IMPORTS = """
from __future__ import annotations

import sys
from decimal import Decimal
from typing import Literal, TypedDict, Union

if sys.version_info >= (3, 11):
    from typing import NotRequired, TypeAlias
else:
    from typing_extensions import NotRequired, TypeAlias

#: A number of a response, without loss.
Number: TypeAlias = Union[int, Decimal]
"""
READ_IMPORTS = """
from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, Protocol, overload

from . import _generated as types
from .errors import ApiError
"""


def name_of(schema: Schema) -> str:
    """Returns the name that a reference ends with."""
    return cast(str, schema['$ref']).rsplit('/', 1)[-1]


def union_of(parts: list[str]) -> str:
    """Joins types, each once, with None at the end."""
    flat = list(dict.fromkeys(parts))
    return ' | '.join(sorted(flat, key=lambda part: part == 'None'))


def type_of(schema: Schema) -> str:
    """Writes a schema as a type."""
    if '$ref' in schema:
        return name_of(schema)
    if 'const' in schema:
        return f'Literal[{schema["const"]!r}]'
    if 'enum' in schema:
        return f'Literal[{", ".join(map(repr, schema["enum"]))}]'
    for union in ('anyOf', 'oneOf'):
        if union in schema:
            return union_of([type_of(part) for part in schema[union]])
    kind = schema.get('type')
    if isinstance(kind, list):
        return union_of([type_of({**schema, 'type': each}) for each in cast('list[str]', kind)])
    if kind == 'array':
        return f'list[{type_of(schema.get("items", {}))}]'
    if kind == 'object':
        return f'dict[str, {type_of(schema.get("additionalProperties") or {})}]'
    return SIMPLE[kind] if kind in SIMPLE else 'JsonValue'


class Document:
    """An OpenAPI document, and the names that its types need."""

    def __init__(self, content: Schema) -> None:
        self.content = content
        self.schemas = cast('dict[str, Schema]', content['components']['schemas'])
        self.needed: set[str] = set()

    def resolved(self, part: Schema) -> Schema:
        """Returns what a part refers to."""
        while '$ref' in part:
            _, _, kind, name = part['$ref'].split('/')
            part = self.content['components'][kind][name]
        return part

    def need(self, part: object) -> None:
        """Notes every name that a part of the document refers to."""
        if isinstance(part, list):
            for each in cast('list[object]', part):
                self.need(each)
        if not isinstance(part, dict):
            return
        schema = cast(Schema, part)
        if isinstance(schema.get('$ref'), str) and (name := name_of(schema)) not in self.needed:
            self.needed.add(name)
            self.need(self.schemas[name])
        for each in schema.values():
            self.need(each)

    def fields(self, schema: Schema) -> tuple[dict[str, Schema], set[str]]:
        """Returns the fields of a schema with those of all its parts, and the names of those that are always there."""
        schema = self.resolved(schema)
        found: dict[str, Schema] = dict(schema.get('properties', {}))
        required = set(cast('list[str]', schema.get('required', [])))
        for part in schema.get('allOf', []):
            more, also = self.fields(part)
            found.update(more)
            required |= also
        return found, required

    def data(self, operation: Schema) -> Schema | None:
        """Returns the schema of an operation's data; None where it answers without an envelope."""
        content = self.resolved(operation['responses'].get('200', {})).get('content', {})
        schema = content.get('application/json', {}).get('schema', {})
        return self.fields(schema)[0].get('data')

    def operations(self) -> list[tuple[str, str, Schema]]:
        """Lists the operations: method, path, operation."""
        return [
            (method, path, operation)
            for path, methods in self.content['paths'].items()
            for method, operation in methods.items()
            if 'operationId' in operation
        ]


def doc_of(schema: Schema) -> str:
    """Returns a description as one line."""
    return re.sub(r'\s+', ' ', schema.get('description', '')).strip().replace('\\', '\\\\').replace('"', "'")


def typed_dict(name: str, fields: dict[str, Schema], required: set[str], doc: str) -> str:
    """Writes a TypedDict."""
    if any(keyword.iskeyword(field) or not field.isidentifier() for field in fields):
        # A class cannot have such a field.
        lines = [
            f'    {field!r}: {type_of(schema)!r},' if field in required else f'    {field!r}: NotRequired[{type_of(schema)!r}],'
            for field, schema in fields.items()
        ]
        return '\n'.join([f"{name} = TypedDict('{name}', {{", *lines, '})', f'"""{doc}"""' if doc else ''])
    lines = [f'class {name}(TypedDict):']
    if doc:
        lines += [f'    """{doc}"""', '']
    for field, schema in fields.items():
        text = type_of(schema)
        lines.append(f'    {field}: {text if field in required else f"NotRequired[{text}]"}')
        if note := doc_of(schema):
            lines.append(f'    """{note}"""')
    if not fields:
        lines.append('    pass')
    return '\n'.join(lines)


def definition(document: Document, name: str) -> str:
    """Writes a schema of an object under its name."""
    schema = document.schemas[name]
    fields, required = document.fields(schema)
    return typed_dict(name, fields, required, doc_of(schema))


def aliases(document: Document, names: list[str]) -> list[str]:
    """Writes the schemas that are no objects, each after those that it names, so that Python can evaluate it."""
    texts = {name: type_of(document.schemas[name]) for name in names}
    written: list[str] = []
    while texts:
        missing = {name: texts.keys() & set(re.findall(r'\w+', text)) for name, text in texts.items()}
        # One of a circle names the rest before they are there.
        name = min(missing, key=lambda each: len(missing[each]))
        text = re.sub('|'.join(rf'\b{each}\b' for each in missing[name]) or '$^', r"'\g<0>'", texts.pop(name))
        note = doc_of(document.schemas[name])
        written.append('\n'.join([f'{name}: TypeAlias = {text}', *([f'"""{note}"""'] if note else [])]))
    return written


def query_of(document: Document, operation: Schema) -> str | None:
    """Writes the query of an operation, whose cursor belongs to the pages."""
    parameters = [document.resolved(each) for each in operation.get('parameters', [])]
    fields = {
        each['name']: {**each['schema'], 'description': each.get('description', '')}
        for each in parameters
        if each['in'] == 'query' and each['name'] != 'cursor'
    }
    if not fields:
        return None
    return typed_dict(f'{capital(operation["operationId"])}Query', fields, set(), '')


def capital(name: str) -> str:
    """Makes the first letter of a name a capital."""
    return name[0].upper() + name[1:]


def read_overload(path: str, answer: str) -> str:
    """Writes the type of one route that is read."""
    return (
        '    @overload\n'
        '    def __call__(\n'
        f"        self, path: Literal['{path}'], *, params: Mapping[str, str] = ..., query: Mapping[str, object] = ...\n"
        f'    ) -> {answer}: ...'
    )


def reads(document: Document) -> str:
    """Writes the types of the routes that are read, and of the data of failures by their codes."""
    parts = [READ_IMPORTS]
    data_of_path = {
        path: f'types.{type_of(data)}'
        for method, path, operation in document.operations()
        if method == 'get' and (data := document.data(operation))
    }
    for name, wrap in (('Read', '{}'), ('AsyncRead', 'Awaitable[{}]')):
        overloads = [read_overload(path, wrap.format(data)) for path, data in data_of_path.items()]
        parts.append(
            f'class {name}(Protocol):\n    """Reads a route by its path in openapi.json."""\n\n' + '\n'.join(overloads)
        )
    codes: dict[str, list[str]] = {}
    for code, reference in document.schemas['ErrorData']['discriminator']['mapping'].items():
        codes.setdefault(reference.rsplit('/', 1)[-1], []).append(code)
    overloads = [
        f'    @overload\n    def __call__(self, error: ApiError, code: {type_of({"enum": known})}) -> types.{name} | None: ...'
        for name, known in codes.items()
    ]
    parts.append(
        'class ErrorData(Protocol):\n    """Returns the data of a failure with this code; None for one with another."""\n\n'
        + '\n'.join(overloads)
    )
    text = '\n\n\n'.join(part.strip('\n') for part in parts)
    return text.replace('import Mapping', 'import Awaitable, Mapping') + '\n'


def types(document: Document) -> str:
    """Writes the types of requests, data and failures."""
    queries: list[str] = []
    for method, _, operation in document.operations():
        document.need(document.data(operation))
        document.need(operation.get('requestBody'))
        if method == 'get' and (query := query_of(document, operation)):
            queries.append(query)
    for name in ('ErrorData', 'Accepted', 'JsonValue'):
        document.need({'$ref': f'#/components/schemas/{name}'})
    for each in document.needed.copy():
        if each.endswith('Replay'):
            document.needed.discard(each)
    names = [name for name in document.schemas if name in document.needed]
    objects = [name for name in names if document.fields(document.schemas[name])[0]]
    definitions = [definition(document, name) for name in objects]
    definitions += aliases(document, [name for name in names if name not in objects])
    return '\n\n\n'.join(part.strip('\n') for part in [IMPORTS, *definitions, *queries]) + '\n'


def main() -> None:
    """Writes both files of types."""
    text = Path(sys.argv[1]).read_bytes()
    head = f'# Generated by generate_types.py from /openapi.json; sha256 {hashlib.sha256(text).hexdigest()}.\n'
    document = Document(json.loads(text))
    (PACKAGE / '_generated.py').write_text(head + types(document), encoding='utf-8')
    (PACKAGE / '_generated_calls.py').write_text(head + reads(document), encoding='utf-8')


if __name__ == '__main__':
    main()
