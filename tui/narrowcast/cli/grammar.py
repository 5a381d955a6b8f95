"""The grammar of the command line. Only argparse is imported here."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from typing import TypeAlias

from narrowcast.cli.operator_grammar import copy_options, operator_commands
from narrowcast.cli.parser import Commands, Parser

EPILOG = """\
Without a command, the app opens with the stored account, or with a welcome screen if none is stored.

exit codes: 0 done; 1 failed; 2 wrong usage or configuration; 3 not logged in or not allowed;
4 the server cannot be reached; 130 interrupted
"""


_ADDRESS = re.compile(r"https?://(\[[0-9A-Fa-f:.]+\]|[^\s/?#@:\[\]]+)(:[0-9]{1,5})?(/[^\s/?#@]*)?")

WITHOUT_EXTENSIONS = "do not load extensions"
DEBUG = "append each request, event, retry and command to FILE, without keys and texts of people"


COMPLETION = """\
Print a script that completes commands, options and file names. For bash: narrowcast completion bash >
~/.local/share/bash-completion/completions/narrowcast; for zsh: into a file _narrowcast in a folder of $fpath; for fish:
~/.config/fish/completions/narrowcast.fish.
"""


def build_parser() -> Parser:
    """The argument parser with all commands and options."""
    parser = Parser(
        prog="narrowcast",
        description="A terminal client for team chat, with a server included.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    app_options(parser)
    common = Parser(add_help=False)
    common.add_argument(
        "--rc", metavar="FILE", default=argparse.SUPPRESS, help="use the account of this zuliprc file"
    )
    common.add_argument(
        "--account", metavar="NAME", default=argparse.SUPPRESS, help="use this stored account"
    )
    _debug(common)
    commands = parser.add_commands("command", "COMMAND")
    _app_commands(commands)
    _script_commands(commands, common)
    return parser


def app_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--version", action="store_true", help="show the version and exit")
    parser.add_argument("--rc", metavar="FILE", help="use the account of this zuliprc file")
    parser.add_argument("--account", metavar="NAME", help="use this stored account")
    parser.add_argument("--no-extensions", action="store_true", help=WITHOUT_EXTENSIONS)
    parser.add_argument("--debug", metavar="FILE", help=DEBUG)


def _app_commands(commands: Commands) -> None:
    _demo(commands)
    _serve(commands)
    _login(commands)


def _demo(commands: Commands) -> None:
    demo = commands.add_parser("demo", help="try the app with a demo server")
    demo.add_argument(
        "--data", metavar="DIR", help="keep the demo's data in DIR (default: delete it on exit)"
    )
    _no_extensions(demo)
    _debug(demo)


def _serve(commands: Commands) -> None:
    serve = commands.add_parser("serve", help="run a server for this machine, in the foreground")
    serve.add_argument("--host", default="127.0.0.1", help="address to listen on (default: %(default)s)")
    serve.add_argument(
        "--port", type=_port, default=9911, help="port; 0 picks a free one (default: %(default)s)"
    )
    serve.add_argument("--data", metavar="DIR", help="data folder (default: in the platform's data folder)")
    serve.add_argument("--demo", action="store_true", help="fill an empty data folder with demo data")
    serve.add_argument(
        "--feature-level",
        type=_level,
        metavar="N",
        help="emulate a server of this feature level (default: the newest that it can emulate)",
    )
    serve.add_argument(
        "--dialect",
        choices=("service", "zulip", "service-only"),
        default="service",
        help="field names in responses: service_* with zulip_* aliases (default), or only one of them; "
        "zulip also leaves out WebSockets, which Zulip servers do not offer",
    )
    serve.add_argument(
        "--url",
        type=_url,
        metavar="URL",
        help="public URL, if the server is behind a proxy",
    )
    serve.add_argument("--tls-cert", metavar="FILE", help="certificate chain (PEM) to serve https with")
    serve.add_argument("--tls-key", metavar="FILE", help="private key of the certificate (PEM)")
    serve.add_argument(
        "--rate-limit", type=_rate, metavar="N/SECONDS", help="limit the requests of each account"
    )
    serve.add_argument("--check", action="store_true", help="verify the data folder and exit")
    _debug(serve)
    copy_options(serve)
    operator_commands(serve)


def _login(commands: Commands) -> None:
    login = commands.add_parser("login", help="log in and store the account")
    login.add_argument(
        "url",
        metavar="URL",
        help="organization URL, invitation link, or password reset link",
    )
    login.add_argument("--name", help="your name, when URL is an invitation (default: ask)")
    login.add_argument("--email", help="your email address (default: ask)")
    login.add_argument(
        "--api-key", action="store_true", help="log in with an API key instead of the password"
    )
    login.add_argument(
        "--method",
        default="",
        help="log in by google, github or whatever the server offers, password, key, zuliprc, dev (default: ask)",
    )
    login.add_argument(
        "--forgot",
        action="store_true",
        help="email yourself a link to reset your password, if the server sends email",
    )
    login.add_argument("--keyring", action="store_true", help="store the API key in the system's keyring")
    login.add_argument(
        "--insecure-http",
        action="store_true",
        help="send the password to an http:// address too, where anyone on the network can read it",
    )
    login.add_argument(
        "--ca-bundle", metavar="FILE", help="trust the certificate authorities in this PEM file"
    )
    _debug(login)


_Add: TypeAlias = Callable[[str, str], Parser]
"""Adds a command: its name, and what it does."""


def _script_commands(commands: Commands, common: Parser) -> None:
    def add(name: str, about: str) -> Parser:
        return commands.add_parser(name, help=about, description=about, parents=[common])

    _authenticator(add)
    _send(add)
    _read(add)
    _search(add)
    _export(add)
    _outbox(add)
    _watch(add)
    _open(add)
    _completion(commands)
    _doctor(add)


def _authenticator(add: _Add) -> None:
    authenticator = add(
        "authenticator",
        "set up two-factor authentication with an authenticator app, or turn it off",
    )
    instead = authenticator.add_mutually_exclusive_group()
    instead.add_argument("--off", action="store_true", help="turn two-factor authentication off")
    instead.add_argument("--recovery-codes", action="store_true", help="generate new recovery codes")


def _send(add: _Add) -> None:
    send = add("send", "send a message; without TEXT it is read from standard input")
    send.add_argument("text", nargs="?", metavar="TEXT", help="the message (default: standard input)")
    send.add_argument("--channel", help="name or id of the channel")
    send.add_argument("--topic", default="", help="topic in the channel")
    send.add_argument(
        "--to", action="append", metavar="WHO", help="email, full name or id; repeat for a group"
    )
    send.add_argument(
        "--file", action="append", metavar="PATH", help="send this file with the message; repeat for several"
    )
    send.add_argument("--quiet", "-q", action="store_true", help="print errors only")
    send.add_argument("--json", action="store_true", help="print the result as JSON")


def _with_terms(command: Parser, limit: int) -> None:
    """The arguments of a command that selects messages; `limit`: how many by default."""
    command.takes_terms = True
    command.add_argument(
        "narrow",
        nargs="*",
        metavar="TERM",
        help="words and operators, such as channel:general topic:lunch from:ada@example.com -is:unread",
    )
    command.add_argument(
        "--limit",
        type=_count,
        default=limit,
        metavar="N",
        help="at most N messages (default: %(default)s)",
    )


def _read(add: _Add) -> None:
    read = add("read", "print messages, newest last")
    _with_terms(read, 20)
    read.add_argument("--json", action="store_true", help="one JSON object per line")
    read.add_argument(
        "--follow", "-f", action="store_true", help="then print each new message, until interrupted"
    )


def _search(add: _Add) -> None:
    search = add("search", "search messages on the server, or with --local those cached on this machine")
    _with_terms(search, 20)
    search.add_argument("--json", action="store_true", help="one JSON object per line")
    search.add_argument("--local", action="store_true", help="search cached messages only, without a network")


def _export(add: _Add) -> None:
    export = add("export", "write messages as JSON lines, Markdown or text")
    _with_terms(export, 1000)
    export.add_argument("--format", choices=("jsonl", "markdown", "text"), default="jsonl")
    export.add_argument("--output", "-o", metavar="FILE", help="output file (default: standard output)")


def _outbox(add: _Add) -> None:
    outbox = add("outbox", "list, retry or cancel unsent messages, or wait until they are sent")
    outbox.add_argument(
        "action",
        nargs="?",
        choices=("list", "retry", "cancel"),
        default="list",
        metavar="ACTION",
        help="list (default), retry or cancel",
    )
    outbox.add_argument(
        "ids", nargs="*", metavar="ID", help="ids as listed (a unique prefix is enough), or all"
    )
    outbox.add_argument(
        "--wait",
        type=_seconds,
        metavar="SECONDS",
        help="then send the waiting messages, for at most this long",
    )
    outbox.add_argument("--json", action="store_true", help="one JSON object per line")


def _watch(add: _Add) -> None:
    watch = add("watch", "follow all accounts without a terminal: notify of new messages, send waiting ones")
    watch.add_argument("--json", action="store_true", help="one JSON object per line")
    watch.add_argument("--all", action="store_true", help="print every message, not only those that notify")
    watch.add_argument(
        "--run",
        nargs=argparse.REMAINDER,
        metavar="ARG",
        help="must come last: a program and its arguments, run without a shell for each message that notifies; "
        "{title}, {body} and more are filled in (default: notifications.command of the configuration)",
    )


def _open(add: _Add) -> None:
    follow_link = add("open", "open the app at the message or view of a link")
    follow_link.add_argument("link", metavar="LINK", help="a link as copied in this or another Zulip app")
    _no_extensions(follow_link)


def _completion(commands: Commands) -> None:
    completion = commands.add_parser(
        "completion", help="print a script that completes commands in a shell", description=COMPLETION
    )
    completion.add_argument(
        "shell", choices=("bash", "zsh", "fish"), metavar="SHELL", help="bash, zsh or fish"
    )


def _doctor(add: _Add) -> None:
    doctor = add("doctor", "check the terminal, the configuration, the cache and the server")
    doctor.add_argument("--json", action="store_true", help="print the result as JSON")
    doctor.add_argument("--keys", action="store_true", help="list every command with its id and keys")
    doctor.add_argument("--offline", action="store_true", help="do not connect to the server")
    _no_extensions(doctor)


def _no_extensions(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--no-extensions", action="store_true", default=argparse.SUPPRESS, help=WITHOUT_EXTENSIONS
    )


def _debug(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--debug", metavar="FILE", default=argparse.SUPPRESS, help=DEBUG)


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port (0 to 65535)")
    return int(text)


def _rate(text: str) -> tuple[int, int]:
    count, _, seconds = text.partition("/")
    if not (count.isdecimal() and seconds.isdecimal() and int(count) and int(seconds)):
        raise argparse.ArgumentTypeError(f"{text!r} is not a rate such as 200/60")
    return int(count), int(seconds)


def _url(text: str) -> str:
    if not _ADDRESS.fullmatch(text):
        raise argparse.ArgumentTypeError(f"{text!r} is not an address such as https://chat.example")
    return text.rstrip("/")


def _level(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a feature level (0 or more)")
    return int(text)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1
    if not 0 <= seconds < 1e9:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds")
    return seconds


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of messages (1 or more)")
    return int(text)
