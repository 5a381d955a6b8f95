"""Certificates for this machine, created when a test needs them: no private key is stored in the repository."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import trustme


@dataclass(frozen=True)
class Certificates:
    """PEM files: the trusted authority, and the certificate of a server on localhost and 127.0.0.1."""

    authority: Path
    certificate: Path
    key: Path


def make_certificates(folder: Path) -> Certificates:
    """Creates a new authority and a certificate signed by it."""
    authority = trustme.CA(organization_name="Narrowcast tests")
    issued = authority.issue_cert("localhost", "127.0.0.1")
    made = Certificates(folder / "authority.pem", folder / "server.pem", folder / "server.key")
    authority.cert_pem.write_to_path(made.authority)
    issued.cert_chain_pems[0].write_to_path(made.certificate)
    issued.private_key_pem.write_to_path(made.key)
    return made
