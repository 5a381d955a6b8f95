"""Two-factor authentication: the code that some users give besides their password."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.organization.models import User

if TYPE_CHECKING:
    from narrowcast_server.organization.core import Core

NEEDED: Final = "SECOND_FACTOR_NEEDED"


def check_code(core: Core, user: User, code: str | None) -> None:
    """Raises 401 if the user needs a code and gives none (SECOND_FACTOR_NEEDED) or a wrong one. Call it after
    the password was checked, within a transaction, since it marks the code as used.
    """
    if not core.second_factors.is_on(user.id):
        return
    if not code:
        raise ServiceError(
            "Give the code of your authenticator app as well, or a recovery code.", NEEDED, 401
        )
    if not core.second_factors.fits(user.id, code):
        raise ServiceError("This code is wrong or was already used.", "AUTHENTICATION_FAILED", 401)
