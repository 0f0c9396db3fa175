"""The variants tls and mtls."""

import grpc
import pytest
from calling import Caller
from certificates import Authority
from rig import Envoy, Gateway, eventually, running
from shipped import HOME, Config


@pytest.fixture(scope="module")
def authority(folder):
    return Authority(folder)


def secret(folder, name, files):
    """secrets/NAME.yaml for the certificates in another folder."""
    file = folder / f"{name}.yaml"
    shipped = (HOME / "secrets" / f"{name}.yaml").read_text()
    kind = "edge" if name == "edge" else "client"
    file.write_text(shipped.replace(f"/etc/envoy/tls/{kind}", str(files)))
    return {"path_config_source": {"path": str(file)}}


def roots(authority):
    return grpc.ssl_channel_credentials(authority.certificate.read_bytes())


def test_callers_speak_tls_and_the_certificate_is_followed(tmp_path, folder, gateways, authority):
    files = authority.issue(tmp_path / "edge", "localhost")
    config = Config("tls")
    context = config.listener["filter_chains"][0]["transport_socket"]["typed_config"]["common_tls_context"]
    context["tls_certificate_sds_secret_configs"][0]["sds_config"] = secret(tmp_path, "edge", files)
    with running(Envoy(folder, config.made(*gateways))) as envoy:
        target = f"localhost:{envoy.port('calls')}"
        with Caller(target, roots(authority)) as caller:
            assert caller.stream("Hi").whole()
        with Caller(envoy.target) as plain:
            assert plain.failure("Hi", timeout=3)
        # Another authority from now on, swapped in as a certificate manager does it: files first, then a move in the folder.
        other = Authority(tmp_path, "other")
        fresh = other.issue(tmp_path / "fresh", "localhost")
        for name in ("tls.key", "tls.crt"):
            (fresh / name).replace(files / name)

        def followed():
            with Caller(target, roots(other)) as caller:
                try:
                    return caller.complete("Hi", timeout=2)
                except grpc.RpcError:
                    return False

        eventually(followed)


def mutual(tmp_path, gateway, files):
    config = Config("mtls")
    context = config.cluster["transport_socket"]["typed_config"]["common_tls_context"]
    context["tls_certificate_sds_secret_configs"][0]["sds_config"] = secret(tmp_path, "client", files)
    context["combined_validation_context"]["validation_context_sds_secret_config"]["sds_config"] = secret(
        tmp_path, "authorities", files
    )
    return config.made(gateway)


@pytest.fixture(scope="module")
def guarded(tmp_path_factory, folder, simulator, authority):
    files = authority.issue(tmp_path_factory.mktemp("gateway"), "gateway")
    arguments = ("--tls-cert", files / "tls.crt", "--tls-key", files / "tls.key", "--tls-client-ca", files / "ca.crt")
    with running(Gateway(folder, simulator.url, *map(str, arguments))) as gateway:
        yield gateway


def test_gateways_are_called_and_checked_over_mutual_tls(tmp_path, folder, guarded, authority):
    files = authority.issue(tmp_path / "client", "envoy")
    with running(Envoy(folder, mutual(tmp_path, guarded, files))) as envoy, Caller(envoy.target) as caller:
        eventually(lambda: envoy.healthy(guarded))
        assert caller.complete("Hi")
        assert caller.stream("Hi").whole()


@pytest.mark.parametrize("wrong", ["client", "authorities"])
def test_strangers_are_not(tmp_path, folder, guarded, authority, wrong):
    """Envoy with a certificate that the gateway does not know, or a gateway with one that Envoy does not."""
    ours = authority.issue(tmp_path / "client", "envoy")
    theirs = Authority(tmp_path, "other").issue(tmp_path / "theirs", "envoy")
    for name in ("tls.crt", "tls.key") if wrong == "client" else ("ca.crt",):
        (theirs / name).replace(ours / name)
    with running(Envoy(folder, mutual(tmp_path, guarded, ours))) as envoy, Caller(envoy.target) as caller:
        assert not envoy.healthy(guarded)
        assert caller.failure("Hi").code() == grpc.StatusCode.UNAVAILABLE
