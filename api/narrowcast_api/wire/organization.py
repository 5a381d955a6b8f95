"""Responses about the configuration of an organization: domains, files and so on."""

from __future__ import annotations

from .model import GoodList, WireModel


class IconResponse(WireModel):
    """Response of POST and DELETE /realm/icon."""

    icon_url: str


class CallResponse(WireModel):
    """Response of the operations that create a call."""

    url: str


class Domain(WireModel):
    """An email domain whose addresses may join."""

    domain: str
    allow_subdomains: bool = False


class DomainList(WireModel):
    """Response of GET /realm/domains."""

    domains: GoodList[Domain] = []


class TestMessage(WireModel):
    """Response of POST /realm/test_welcome_bot_custom_message."""

    message_id: int


class OnboardingStep(WireModel):
    """A hint that the user has not dismissed yet."""

    type: str = ""
    name: str = ""
