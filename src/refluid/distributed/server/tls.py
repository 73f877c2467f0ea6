"""TLS between trainers and servers, where the environment names certificates.

REFLUID_TLS_CERT is a PEM file. A server shows the certificate (chain) in it, whose key is in the file that
REFLUID_TLS_KEY names; a trainer trusts the certificates in it and no others: the server's own if that is self-signed,
or those of the authority that has signed it. The certificate must name the hosts as the endpoints do.
"""

from __future__ import annotations

import os
from pathlib import Path

import grpc

from refluid.core.errors import EnforceNotMet

CERT, KEY = "REFLUID_TLS_CERT", "REFLUID_TLS_KEY"


def of_server() -> grpc.ServerCredentials | None:
    """None: without TLS."""
    cert, key = _read(CERT), _read(KEY)
    if cert is None and key is None:
        return None
    if cert is None or key is None:
        raise EnforceNotMet(
            f"a server needs both {CERT} and {KEY} for TLS, but {CERT if cert is None else KEY} is not set"
        )
    return grpc.ssl_server_credentials([(key, cert)])


def of_trainer() -> grpc.ChannelCredentials | None:
    cert = _read(CERT)
    return None if cert is None else grpc.ssl_channel_credentials(root_certificates=cert)


def _read(name: str) -> bytes | None:
    path = os.environ.get(name)
    if not path:
        return None
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise EnforceNotMet(f"{name}={path} cannot be read: {error.strerror}") from None
