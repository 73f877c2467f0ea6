"""TLS between trainers and servers."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from refluid.core.errors import EnforceNotMet
from refluid.distributed.server import local
from refluid.distributed.server.transport import Connection, Listener, Unreachable
from refluid.distributed.server.wire import Message
from tests.distributed.ranks import TIMEOUT

if shutil.which("openssl") is None:
    pytest.skip("openssl, which makes the certificates of this test, is not there", allow_module_level=True)


def certificate(folder: Path, name: str) -> tuple[str, str]:
    """A self-signed one of 127.0.0.1, and its key."""
    cert, key = folder / f"{name}.pem", folder / f"{name}.key"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
         "-subj", f"/CN={name}", "-addext", "subjectAltName=IP:127.0.0.1", "-out", str(cert), "-keyout", str(key)],
        check=True, capture_output=True, timeout=TIMEOUT,
    )  # fmt: skip
    return str(cert), str(key)


@pytest.fixture
def secure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The endpoint of a server with TLS; the environment is that of its trainers."""
    cert, key = certificate(tmp_path, "ours")
    monkeypatch.setenv("REFLUID_TLS_CERT", cert)
    monkeypatch.setenv("REFLUID_TLS_KEY", key)
    listener = Listener("127.0.0.1:0", lambda m: Message("yes"), lambda number, session: None, 4, 1 << 20, print)
    monkeypatch.delenv("REFLUID_TLS_KEY")
    yield f"127.0.0.1:{listener.port}"
    listener.close(0)


def asked(endpoint: str, seconds: float = 0) -> str:
    connection = Connection(endpoint)
    try:
        return connection.call(Message("x"), seconds, 20.0).kind
    finally:
        connection.close()


def test_who_trusts_the_certificate_is_answered(secure: str) -> None:
    assert asked(secure, 60) == "yes"
    path = local.socket_of(secure)
    assert path is None or not path.exists()  # no way around it


def test_a_server_with_another_certificate_is_not_talked_to(
    secure: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REFLUID_TLS_CERT", certificate(tmp_path, "another")[0])
    with pytest.raises(Unreachable):
        asked(secure)


def test_without_tls_nothing_is_said_to_a_server_that_has_it(secure: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("REFLUID_TLS_CERT")
    with pytest.raises(Unreachable):
        asked(secure)


def test_a_server_needs_the_key_and_files_that_can_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REFLUID_TLS_CERT", str(tmp_path / "nothing.pem"))
    with pytest.raises(EnforceNotMet, match=r"REFLUID_TLS_CERT=.*nothing.pem cannot be read"):
        Connection("127.0.0.1:1")
    (tmp_path / "nothing.pem").write_text("")
    with pytest.raises(EnforceNotMet, match="but REFLUID_TLS_KEY is not set"):
        Listener("127.0.0.1:0", lambda m: m, lambda number, session: None, 4, 1 << 20, print)
