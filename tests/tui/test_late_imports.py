"""Rarely used modules are imported only when they are needed."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from narrowcast.cli import open_app
from narrowcast.cli.grammar import build_parser
from narrowcast.cli.main import main
from narrowcast.cli.outcome import Exit

START = """
import json, sys, threading, types
from narrowcast.cli import late_imports
from narrowcast.cli.late_modules import LateModule
late_imports.install()
sys.modules["httpx2._main"] = None
def late():
    return sorted(n for n in late_imports.LATE if isinstance(sys.modules.get(n), LateModule))
def loaded():
    return sorted(n for n in late_imports.LATE if type(sys.modules.get(n)) is types.ModuleType)
"""


def printed(program: str) -> object:
    result = subprocess.run([sys.executable, "-c", START + program], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def test_the_app_starts_without_its_forms() -> None:
    program = """
import narrowcast.app.app, narrowcast.app.live_account, narrowcast.screens.main.screen
print(json.dumps([name for name in sys.modules if name.startswith("narrowcast.screens.dialogs.form")]))
"""
    assert printed(program) == []


def test_no_garbage_is_searched_for_among_the_imports_of_a_command(tmp_path: Path) -> None:
    program = f"""
import gc
sys.argv = ["narrowcast", "--rc", {str(tmp_path / "none")!r}, "read"]
from narrowcast.cli.entry import main
kept = []
gc.callbacks.append(lambda phase, info: kept.append(gc.get_freeze_count()))
main()
print(json.dumps([gc.isenabled(), gc.get_freeze_count() > 1000, 0 in kept]))
"""
    assert printed(program) == [True, True, False]


def test_each_module_works_as_usual_once_it_is_used() -> None:
    program = """
import argparse, bz2, importlib.metadata, ipaddress, linecache, locale, lzma, mimetypes, ntpath
import secrets, shlex, shutil, tokenize, email.message, idna, hmac
import http.cookiejar, urllib.request, httpcore2._sync, httpcore2._api, httpcore2._ssl
import asyncio.sslproto, hashlib, msgspec.inspect, msgspec.toml, msgspec.yaml
from hashlib import sha256
from httpcore2._ssl import default_ssl_context
from importlib.metadata import version
print(json.dumps([
    bz2.decompress(bz2.compress(b"a")).decode(),
    lzma.decompress(lzma.compress(b"b")).decode(),
    idna.encode("b\\u00fccher.example").decode(),
    importlib.metadata.version("httpx2") == version("httpx2"),
    mimetypes.guess_type("a.png")[0],
    email.message.Message().get_content_type(),
    urllib.request.quote("a b"),
    len(http.cookiejar.CookieJar()),
    isinstance(httpcore2.ConnectionPool(), httpcore2._sync.ConnectionPool),
    callable(httpcore2._api.ConnectionPool),
    tokenize.tok_name[tokenize.NAME],
    argparse.ArgumentParser().parse_args([]) == argparse.Namespace(),
    len(secrets.token_hex(4)),
    shlex.quote("a b"),
    ntpath.join("a", "b"),
    ipaddress.ip_address("::1").is_loopback,
    locale.localeconv()["decimal_point"],
    shutil.which("nothing at all"),
    hasattr(idna, "nothing"),
    asyncio.sslproto.SSLProtocol.__name__,
    sha256(b"").hexdigest()[:4],
    hashlib.new("md5", b"").hexdigest()[:4],
    hmac.compare_digest(b"a", b"b"),
    default_ssl_context().check_hostname,
    msgspec.inspect.type_info(int).__class__.__name__,
    msgspec.toml.decode(b"a = 1"),
    callable(msgspec.yaml.decode),
    late(),
]))
"""
    found = printed(program)
    assert found == [
        "a",
        "b",
        "xn--bcher-kva.example",
        True,
        "image/png",
        "text/plain",
        "a%20b",
        0,
        True,
        True,
        "NAME",
        True,
        8,
        "'a b'",
        "a\\b",
        True,
        ".",
        None,
        False,
        "SSLProtocol",
        "e3b0",
        "d41d",
        False,
        True,
        "IntType",
        {"a": 1},
        True,
        [],
    ]


def test_whether_an_object_is_an_instance_is_known_without_the_module() -> None:
    program = """
import ssl, socket
exec("SSLSocket = ssl.SSLSocket", {"__name__": "asyncio.base_events", "ssl": ssl}, globals())
plain = socket.socket()
before = [isinstance(plain, SSLSocket), late()]
secure = ssl.create_default_context().wrap_socket(plain, server_hostname="a.example")
print(json.dumps([before, isinstance(secure, SSLSocket), isinstance(socket.socket(), SSLSocket), late()]))
"""
    assert printed(program) == [[False, ["ssl"]], True, False, []]


def test_classes_of_late_modules_can_be_base_classes_and_create_objects() -> None:
    program = """
httpx2 = {"__name__": "httpx2._models"}
exec('from http.cookiejar import CookieJar; from urllib.request import Request', httpx2)
CookieJar = httpx2["CookieJar"]
class Own(httpx2["Request"]):
    made_here = "yes"
    def __init__(self, url):
        super().__init__(url, method="PUT")
class Further(Own):
    def __init__(self):
        super().__init__("http://a.example/b")
before = [Own.made_here, late(), hasattr(Own, "__no_such_name__")]
further, jar = Further(), CookieJar()
import http.cookiejar, urllib.request
print(json.dumps([
    before, further.get_method(), further.host, isinstance(further, urllib.request.Request),
    "urllib.request" in late() or "http.cookiejar" in late(),
    type(jar) is http.cookiejar.CookieJar, isinstance(jar, CookieJar), isinstance(jar, Own),
    CookieJar.magic_re is http.cookiejar.CookieJar.magic_re, Own.get_method is urllib.request.Request.get_method,
    hasattr(Own, "nothing"), isinstance(further, Own),
]))
"""
    assert printed(program) == [
        ["yes", ["http.cookiejar", "urllib.request"], False],
        *("PUT", "a.example", True, False, True, True, False, True, True, False, True),
    ]


def test_httpx_works_as_usual_without_asyncio_and_with_cookies() -> None:
    program = """
import http.server, httpx2
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Set-Cookie", "a=1")
        self.send_header("Content-Length", "0")
        self.send_header("X-Cookie", self.headers.get("Cookie", "none"))
        self.end_headers()
    def log_message(self, *args):
        pass
server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
with httpx2.Client(base_url="http://127.0.0.1:%s" % server.server_port) as client:
    found = [client.get("/").headers["x-cookie"] for _ in range(2)]
server.shutdown()
print(json.dumps([found, dict(client.cookies), late()]))
"""
    found = printed(program)
    assert isinstance(found, list)
    assert found[:2] == [["none", "a=1"], {"a": "1"}]
    assert not {"http.cookiejar", "urllib.request", "httpcore2._sync"} & set(found[2])


def test_other_libraries_get_the_classes_themselves() -> None:
    program = """
from collections.abc import MutableMapping
from http.cookiejar import CookieJar
class Jar(CookieJar, MutableMapping):  # as requests has it
    __getitem__ = __setitem__ = __delitem__ = None
import http.cookiejar
print(json.dumps([CookieJar is http.cookiejar.CookieJar, len(Jar()), type(CookieJar).__name__]))
"""
    assert printed(program) == [True, 0, "type"]


def test_what_is_replaced_in_a_module_stays_so() -> None:
    program = """
import ssl
ssl.create_default_context = "other"
print(json.dumps([ssl.create_default_context, late()]))
"""
    assert printed(program) == ["other", []]


def test_a_module_whose_needs_are_not_installed_is_not_imported() -> None:
    program = """
late_imports.NEEDS["bz2"] = "nothing_of_this_name"
try:
    import bz2
except ModuleNotFoundError as error:
    print(json.dumps([str(error), error.name, "bz2" in sys.modules]))
"""
    assert printed(program) == ["No module named 'nothing_of_this_name'", "nothing_of_this_name", False]


def test_no_thread_sees_a_partly_imported_module() -> None:
    program = """
import tokenize
found = []
start = threading.Barrier(8)
def use():
    start.wait()
    found.append(tokenize.open.__name__ + tokenize.untokenize.__name__)
threads = [threading.Thread(target=use) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(json.dumps([sorted(set(found)), len(found)]))
"""
    assert printed(program) == [["openuntokenize"], 8]


GRAMMAR = "narrowcast.cli.grammar"


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, object]]:
    """Collects the arguments with which the app is opened; the grammar is not imported yet."""
    given: list[dict[str, object]] = []

    def run(args: argparse.Namespace) -> int:
        given.append(vars(args))
        return Exit.DONE

    monkeypatch.setattr(open_app, "run", run)
    monkeypatch.delitem(sys.modules, GRAMMAR)
    return given


@pytest.mark.parametrize(
    ("arguments", "is_plain"),
    [
        ([], True),
        (["--rc", "a"], True),
        (["--account", "a b"], True),
        (["--rc=a"], False),
        (["--acc", "a"], False),
        (["--no-extensions"], False),
        (["--rc", "a", "--no-extensions"], False),
    ],
)
def test_common_arguments_are_parsed_as_the_full_parser_would(
    opened: list[dict[str, object]], arguments: list[str], is_plain: bool
) -> None:
    assert main(arguments) == Exit.DONE
    assert (GRAMMAR not in sys.modules) == is_plain
    (given,) = opened
    grammar = vars(build_parser().parse_args(arguments))
    assert given == {name: grammar[name] for name in given}
    assert {"version", "rc", "account", "no_extensions", "command"} <= given.keys()


@pytest.mark.parametrize("arguments", [["--rc"], ["--rc", "--account"], ["--rc", ""], ["nonsense"]])
@pytest.mark.usefixtures("opened")
def test_uncommon_arguments_are_left_to_the_full_parser(arguments: list[str]) -> None:
    with suppress(SystemExit):
        main(arguments)
    assert GRAMMAR in sys.modules
