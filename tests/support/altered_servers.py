"""Embedded servers that offer what they lack, such as a language model, or send an event to too few."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import Any

import pytest
from starlette.responses import Response

from narrowcast_server.http.routing import Call, Endpoint, Handler, ResponseBody, Routes
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.routes import auth, browser_sign_in, server_settings, unavailable
from support import world
from support.server import TestServer


@dataclass
class Offered:
    """The next response, the server's own if None, and the last request."""

    response: ResponseBody | ServiceError | None
    own: Handler
    asked: dict[str, str] | None = None

    async def handle(self, call: Call) -> ResponseBody | Response:
        """Returns the response, or raises the error."""
        self.asked = dict(call.fields)
        if isinstance(self.response, ServiceError):
            raise self.response
        if self.response is not None:
            return self.response
        own = self.own(call)
        return await own if inspect.isawaitable(own) else own


@contextmanager
def offering(
    path: str, response: ResponseBody | None = None, *, routes: Routes = unavailable.routes, method: str = ""
) -> Iterator[Offered]:
    """Servers started within the block send this response to requests for the path, of one method if given."""
    (endpoint,) = (one for one in routes.endpoints if one.path == path and method in ("", one.method))
    offered = Offered(response, endpoint.handler)
    endpoints = [replace(one, handler=offered.handle) if one is endpoint else one for one in routes.endpoints]
    with changed(routes, endpoints):
        yield offered


@contextmanager
def changed(routes: Routes, endpoints: Sequence[Endpoint]) -> Iterator[None]:
    """Servers started within the block have these endpoints in place of those of ``routes``."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(routes, "endpoints", endpoints)
        yield


Event = Mapping[str, Any]


@contextmanager
def sending_events_to(server: TestServer, whom: Callable[[Event, set[int]], Iterable[int]]) -> Iterator[None]:
    """Within the block an event is sent to `whom(event, people)` instead of to these people."""
    emit = server.organization.emit

    def to_some(event: Event, to: Iterable[int], **more: Any) -> None:
        emit(event, whom(event, set(to)), **more)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(server.organization, "emit", to_some)
        yield


@contextmanager
def translating(*translated: Routes) -> Iterator[None]:
    """Servers started within the block say in German, with the general code, that a value is not the expected one."""
    with ExitStack() as entered:
        for routes in translated:
            endpoints = [replace(one, handler=_translated(one.handler)) for one in routes.endpoints]
            entered.enter_context(changed(routes, endpoints))
        yield


def _translated(own: Handler) -> Handler:
    def german(error: ServiceError) -> ServiceError:
        return ServiceError("Der Wert ist ein anderer.") if error.code == "EXPECTATION_MISMATCH" else error

    async def waiting(call: Call) -> ResponseBody | Response:
        try:
            response = own(call)
            return await response if inspect.isawaitable(response) else response
        except ServiceError as error:
            raise german(error) from None

    def at_once(call: Call) -> ResponseBody | Response:
        try:
            response = own(call)
        except ServiceError as error:
            raise german(error) from None
        assert not inspect.isawaitable(response)
        return response

    return waiting if inspect.iscoroutinefunction(own) else at_once


@contextmanager
def wanting_the_password() -> Iterator[None]:
    """Servers started within the block want the password with a token, as Zulip's do where passwords are allowed."""
    with offering("/json/fetch_api_key", routes=browser_sign_in.routes) as offered:
        own = offered.own

        def checked(call: Call) -> object:
            if call.fields.get("password") != world.PASSWORD:
                raise ServiceError("Password is incorrect.")
            return own(call)

        offered.own = checked  # type: ignore[assignment]  # the response of the endpoint itself
        yield


@contextmanager
def development(running: list[TestServer]) -> Iterator[None]:
    """Servers started within the block have the logins of development servers."""
    dev = Routes()

    @dev.get("/dev_list_users", public=True)
    def people(call: Call) -> ResponseBody:
        return {
            "direct_admins": [
                {"email": "ada@demo.example", "realm_url": running[0].url},
                {"email": "zoe@other.example", "realm_url": "http://other.localhost:9991"},
            ],
            "direct_users": ["dario@demo.example"],
        }

    @dev.post("/dev_fetch_api_key", auth.USERNAME, public=True)
    def log_in(call: Call) -> ResponseBody:
        email = call[auth.USERNAME]
        if email not in ("ada@demo.example", "dario@demo.example"):
            raise ServiceError("Your username or password is incorrect", "AUTHENTICATION_FAILED", 401)
        account = running[0].account(email.partition("@")[0])
        return {"api_key": account.key.reveal(), "email": email}

    methods = {"dev": True, "password": False, "ldap": False}
    endpoints = [*unavailable.routes.endpoints, *dev.endpoints]
    with pytest.MonkeyPatch.context() as patched, changed(unavailable.routes, endpoints):
        patched.setattr(server_settings, "_authentication_methods", lambda _: methods)
        yield
