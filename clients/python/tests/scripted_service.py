"""A service that does what a test says."""

from __future__ import annotations

import json
import socket
import threading
import time
from base64 import urlsafe_b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass(frozen=True)
class Seen:
    """A request as the service got it."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: str


Reply = Callable[[BaseHTTPRequestHandler], None]


class ScriptedService:
    """A service that does what a test says, request by request; the last reply stays."""

    def __init__(self) -> None:
        self.seen: list[Seen] = []
        self._replies: list[Reply] = []
        self._lock = threading.Lock()
        service = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = 'HTTP/1.1'

            def parse_request(self) -> bool:
                is_whole = super().parse_request()
                if is_whole:
                    service.serve(self)
                return False

            def log_message(self, format: str, *args: object) -> None:
                pass

        class Server(ThreadingHTTPServer):
            def handle_error(self, request: object, client_address: object) -> None:
                pass

        self._server = Server(('127.0.0.1', 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        return f'http://127.0.0.1:{self._server.server_port}'

    def script(self, *replies: Reply) -> None:
        """Forgets what was seen, and begins another script."""
        with self._lock:
            self.seen = []
            self._replies = list(replies)

    def keys(self) -> list[str]:
        """Returns the keys that were seen, each once."""
        return list(dict.fromkeys(each.headers['idempotency-key'] for each in self.seen))

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def serve(self, handler: BaseHTTPRequestHandler) -> None:
        body = handler.rfile.read(int(handler.headers.get('content-length', '0'))).decode()
        headers = {name.lower(): value for name, value in handler.headers.items()}
        with self._lock:
            self.seen.append(Seen(handler.command, handler.path, headers, body))
            reply = self._replies.pop(0) if len(self._replies) > 1 else self._replies[0]
        reply(handler)


def success(data: object, status: int = 200) -> Reply:
    """Makes a success with this data."""
    return _answer(status, {'status': True, 'statusCode': status, 'message': 'OK.', 'data': data}, {})


def failure(status: int, code: str, retry: str, headers: Mapping[str, str] | None = None, **more: object) -> Reply:
    """Makes a failure with this code."""
    data = {'requestId': 'r', 'retryable': retry != 'never', 'retryAt': None, 'suggestion': None}
    data = {**data, 'code': code, 'retry': retry, **more}
    envelope = {'status': False, 'statusCode': status, 'message': f'{code}.', 'data': data}
    return _answer(status, envelope, headers or {})


def strange(status: int, text: str) -> Reply:
    """Makes an answer of something between client and service."""
    return lambda handler: _send(handler, status, text.encode(), {'content-type': 'text/html'})


def redirect(to: str) -> Reply:
    """Makes the way to another address."""
    return lambda handler: _send(handler, 307, b'', {'location': to})


def raw(text: str) -> Reply:
    """Makes a success with this text as its data."""
    body = f'{{"status":true,"statusCode":200,"message":"OK.","data":{text}}}'
    return lambda handler: _send(handler, 200, body.encode(), {'content-type': 'application/json'})


def plain(status: int, body: object) -> Reply:
    """Makes an answer without the envelope of the service."""
    return lambda handler: _send(handler, status, json.dumps(body).encode(), {'content-type': 'application/json'})


def cut(handler: BaseHTTPRequestHandler) -> None:
    """Cuts the connection before the answer."""
    _cut(handler)


def half(handler: BaseHTTPRequestHandler) -> None:
    """Breaks off in the middle of an answer."""
    handler.send_response(200)
    handler.send_header('content-length', '500')
    handler.end_headers()
    handler.wfile.write(b'{"status":true,')
    handler.wfile.flush()
    _cut(handler)


def silence(handler: BaseHTTPRequestHandler) -> None:
    """Gives no answer, until the client hangs up."""
    handler.connection.settimeout(5)
    try:
        handler.connection.recv(1)
    except OSError:
        pass
    handler.close_connection = True


def stream(*parts: bytes) -> Reply:
    """Makes a stream of these parts, which is then cut."""

    def reply(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header('content-type', 'text/event-stream')
        handler.send_header('transfer-encoding', 'chunked')
        handler.end_headers()
        for part in parts:
            handler.wfile.write(f'{len(part):x}\r\n'.encode() + part + b'\r\n')
            handler.wfile.flush()
            # A part of its own for the reader.
            time.sleep(0.02)
        _cut(handler)

    return reply


def token_of(agent_id: str, **more: str) -> str:
    """Returns a session token of an agent, with more claims."""

    def part(value: object) -> str:
        return urlsafe_b64encode(json.dumps(value).encode()).rstrip(b'=').decode()

    return f'{part({"alg": "ES256"})}.{part({"sub": agent_id, **more})}.signature'


def _answer(status: int, body: object, headers: Mapping[str, str]) -> Reply:
    text = json.dumps(body).encode()
    return lambda handler: _send(handler, status, text, {'content-type': 'application/json', **headers})


def _send(handler: BaseHTTPRequestHandler, status: int, body: bytes, headers: Mapping[str, str]) -> None:
    handler.send_response(status)
    for name, value in {**headers, 'content-length': str(len(body))}.items():
        handler.send_header(name, value)
    handler.end_headers()
    handler.wfile.write(body)
    handler.wfile.flush()
    handler.close_connection = handler.headers.get('connection', '').lower() == 'close'


def _cut(handler: BaseHTTPRequestHandler) -> None:
    handler.close_connection = True
    try:
        handler.connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass
