"""TLS and mTLS, with certificates made here."""

import asyncio
import subprocess

import pytest
from rig import Gateway, free_port, running

from inference_gateway import TLS, AsyncClient, Client, DeadlineExceededError, UnavailableError

CONFIG = """
[req]
distinguished_name = name
[name]
[ca]
basicConstraints = critical,CA:TRUE
[server]
subjectAltName = DNS:gateway.test,IP:127.0.0.1
[client]
extendedKeyUsage = clientAuth
"""

ENCRYPTED = b"-----BEGIN ENCRYPTED PRIVATE KEY-----"

DATED = """
[ca]
default_ca = this
[this]
new_certs_dir = {folder}
database = {folder}/index.txt
unique_subject = no
rand_serial = yes
default_md = sha256
policy = any
[any]
commonName = supplied
"""


class Authority:
    """Makes certificates."""

    def __init__(self, folder, name):
        folder.mkdir()
        self._folder = folder
        (folder / "openssl.cnf").write_text(CONFIG)
        self.cert = folder / "ca.pem"
        self._key = folder / "ca-key.pem"
        self._openssl(
            *("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"),
            *("-subj", f"/CN={name}", "-days", "2", "-extensions", "ca"),
            *("-keyout", self._key, "-out", self.cert),
        )

    def issue(self, kind):
        """Returns the files of certificate and key."""
        cert, key, request = (self._folder / f"{kind}{end}" for end in (".pem", "-key.pem", ".csr"))
        self._openssl(
            *("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"),
            *("-subj", f"/CN={kind}", "-keyout", key, "-out", request),
        )
        self._openssl(
            *("x509", "-req", "-in", request, "-days", "2", "-CA", self.cert),
            *("-CAkey", self._key, "-CAcreateserial", "-extensions", kind),
            *("-extfile", self._folder / "openssl.cnf", "-out", cert),
            config=False,
        )
        return cert, key

    def issue_for(self, begin, end):
        """Returns the files of a certificate for a server that holds from one day to another."""
        self.issue("server")
        (self._folder / "index.txt").write_text("")
        (self._folder / "ca.cnf").write_text(DATED.format(folder=self._folder))
        cert = self._folder / f"server-{begin}.pem"
        self._openssl(
            *("ca", "-batch", "-notext", "-config", self._folder / "ca.cnf", "-cert", self.cert),
            *("-keyfile", self._key, "-in", self._folder / "server.csr", "-out", cert),
            *("-startdate", begin, "-enddate", end, "-extensions", "server"),
            *("-extfile", self._folder / "openssl.cnf"),
            config=False,
        )
        return cert, self._folder / "server-key.pem"

    def _openssl(self, *arguments, config=True):
        more = ("-config", self._folder / "openssl.cnf") if config else ()
        command = ["openssl", *map(str, (*arguments, *more))]
        subprocess.run(command, check=True, capture_output=True)


@pytest.fixture(scope="module")
def authority(tmp_path_factory):
    return Authority(tmp_path_factory.mktemp("tls") / "ours", "ours")


@pytest.fixture(scope="module")
def stranger(tmp_path_factory):
    return Authority(tmp_path_factory.mktemp("tls") / "strangers", "strangers")


@pytest.fixture(scope="module")
def secured(folder, simulator, authority):
    """Two gateways: one with TLS, one that asks for the client's certificate too."""
    cert, key = authority.issue("server")
    tls = ("--tls-cert", str(cert), "--tls-key", str(key))
    plain = Gateway(folder, simulator.url, *tls)
    mutual = Gateway(folder, simulator.url, *tls, "--tls-client-ca", str(authority.cert))
    with running(plain, mutual):
        yield plain, mutual


@pytest.mark.parametrize("of_bytes", [False, True])
def test_tls_with_an_authority_of_ones_own(secured, authority, of_bytes):
    ca = authority.cert.read_bytes() if of_bytes else authority.cert
    with Client(secured[0].target, tls=TLS(ca=ca), token="t0ken") as client:
        client.wait_until_ready()
        assert client.generate("Hi", max_tokens=2).text


def test_asyncio_speaks_tls_too(secured, authority):
    async def main():
        async with AsyncClient(secured[0].target, tls=TLS(ca=authority.cert)) as client:
            await client.wait_until_ready()
            return await client.generate("Hi", max_tokens=2)

    assert asyncio.run(main()).text


def test_the_certificate_may_be_for_another_name(secured, authority):
    tls = TLS(ca=authority.cert, server_name="other.test")
    with Client(secured[0].target, tls=tls) as client:
        with pytest.raises(UnavailableError, match="its certificate is for another name"):
            client.generate("Hi")
    tls = TLS(ca=authority.cert, server_name="gateway.test")
    with Client(secured[0].target, tls=tls) as client:
        client.wait_until_ready()
        assert client.generate("Hi", max_tokens=2).text


@pytest.mark.parametrize("system", [False, True])
def test_an_authority_that_is_not_trusted_is_said(secured, stranger, system):
    tls = True if system else TLS(ca=stranger.cert)
    with Client(secured[0].target, tls=tls) as client:
        with pytest.raises(UnavailableError, match="not signed by an authority that this client"):
            client.generate("Hi")


def test_the_systems_authorities_are_trusted(secured, authority, monkeypatch):
    monkeypatch.delenv("GRPC_DEFAULT_SSL_ROOTS_FILE_PATH", raising=False)
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.cert))
    with Client(secured[0].target, tls=True) as client:
        client.wait_until_ready()
        assert client.generate("Hi", max_tokens=2).text


def test_mutual_tls(secured, authority):
    cert, key = authority.issue("client")
    with Client(secured[1].target, tls=TLS(ca=authority.cert, cert=cert, key=key)) as client:
        client.wait_until_ready()
        assert client.generate("Hi", max_tokens=2).text


def test_mutual_tls_without_a_certificate_is_said(secured, authority):
    with Client(secured[1].target, tls=TLS(ca=authority.cert)) as client:
        with pytest.raises(UnavailableError, match="does not accept this client's certificate"):
            client.generate("Hi")


def test_mutual_tls_with_a_strangers_certificate_is_said(secured, authority, stranger):
    cert, key = stranger.issue("client")
    with Client(secured[1].target, tls=TLS(ca=authority.cert, cert=cert, key=key)) as client:
        with pytest.raises(UnavailableError, match="does not accept this client's certificate"):
            client.generate("Hi")


def test_plaintext_to_tls_and_tls_to_plaintext_are_said(secured, gateway, authority):
    for one in secured:
        with Client(one.target) as client:
            with pytest.raises(UnavailableError, match="gateway that speaks TLS, see tls="):
                client.generate("Hi")
            with pytest.raises(DeadlineExceededError, match="gateway that speaks TLS, see tls="):
                client.wait_until_ready(0.5)
    with Client(gateway.target, tls=TLS(ca=authority.cert)) as client:
        with pytest.raises(UnavailableError, match="TLS handshake failed"):
            client.generate("Hi")


@pytest.mark.parametrize(
    ("begin", "end", "words"),
    [
        ("20200101000000Z", "20210101000000Z", "its certificate has expired"),
        ("20900101000000Z", "20910101000000Z", "its certificate is not valid yet"),
    ],
)
def test_a_certificate_out_of_its_time_is_called_that(
    folder, simulator, authority, begin, end, words
):
    cert, key = authority.issue_for(begin, end)
    tls = ("--tls-cert", str(cert), "--tls-key", str(key))
    with running(Gateway(folder, simulator.url, *tls)) as gateway:
        with Client(gateway.target, tls=TLS(ca=authority.cert)) as client:
            with pytest.raises(UnavailableError, match=words):
                client.generate("Hi")


def test_files_that_are_swapped_encrypted_or_no_pair_are_said(secured, authority, stranger):
    cert, key = authority.issue("client")
    for tls, words in (
        (TLS(cert=key, key=cert), "tls key: holds no private key"),
        (TLS(cert=key, key=key), "tls cert: holds no certificate"),
        (TLS(ca=key), "tls ca: holds no certificate"),
        (TLS(cert=cert, key=ENCRYPTED), "tls key: is encrypted"),
    ):
        with pytest.raises(ValueError, match=words):
            Client("localhost", tls=tls)
    _, other = stranger.issue("client")
    broken = b"-----BEGIN %b-----\nAAAA\n-----END %b-----\n"
    for tls, words in (
        (TLS(cert=cert, key=other), "tls: cert and key do not belong together"),
        (TLS(cert=cert.read_bytes(), key=other.read_text()), "tls: cert and key do not belong"),
        (TLS(cert=broken.replace(b"%b", b"CERTIFICATE"), key=key), "tls: cert or key cannot be"),
        (TLS(cert=cert, key=broken.replace(b"%b", b"PRIVATE KEY")), "tls: cert or key cannot be"),
        (TLS(ca=broken.replace(b"%b", b"CERTIFICATE")), "tls ca: holds no certificate that can"),
        (TLS(ca=b"-----BEGIN CERTIFICATE-----"), "tls ca: holds no certificate that can be read"),
    ):
        with pytest.raises(ValueError, match=words):
            AsyncClient("localhost", tls=tls)


def test_where_python_cannot_compare_the_pair_the_call_says_it(
    secured, authority, stranger, monkeypatch
):
    cert, _ = authority.issue("client")
    _, other = stranger.issue("client")
    monkeypatch.delattr("os.memfd_create")
    with Client(secured[1].target, tls=TLS(ca=authority.cert, cert=cert, key=other)) as client:
        with pytest.raises(UnavailableError, match="do cert= and key= belong together"):
            client.generate("Hi")


def test_of_several_addresses_the_one_that_listens_tells_most(secured, authority):
    """A name often has two, of which a gateway listens at one."""
    target = f"ipv4:127.0.0.1:{free_port()},{secured[1].target}"
    tls = TLS(ca=authority.cert, server_name="gateway.test")
    for _ in range(3):
        with Client(target, tls=tls) as client:
            with pytest.raises(DeadlineExceededError, match="does not accept this client's cert"):
                client.wait_until_ready(2)

    async def main():
        async with AsyncClient(target, tls=tls) as client:
            await client.wait_until_ready(2)

    with pytest.raises(DeadlineExceededError, match="does not accept this client's certificate"):
        asyncio.run(main())


def test_who_waits_for_a_connection_is_told_of_the_certificate(secured, stranger):
    words = r"no connection .*: its certificate is not signed"
    tls = TLS(ca=stranger.cert)
    with Client(secured[0].target, tls=tls, wait_for_ready=True, timeout=3) as client:
        with pytest.raises(DeadlineExceededError, match=words):
            client.generate("Hi")
        with pytest.raises(DeadlineExceededError, match=words):
            list(client.stream("Hi"))


def test_a_pem_may_be_text_and_a_key_is_never_shown(authority):
    cert, key = authority.issue("client")
    TLS(ca=authority.cert.read_text(), cert=cert.read_text(), key=key.read_text()).credentials()
    for secret in (
        "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQ==",
        key.read_text().split("\n", 1)[1],
    ):
        with pytest.raises(ValueError, match=r"^tls key: cannot read what was given") as refused:
            TLS(cert=cert, key=secret).credentials()
        assert secret[:20] not in str(refused.value)
