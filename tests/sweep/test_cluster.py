"""A Dask cluster on this computer, over TLS, gives the bits of one process; unsafe addresses are refused."""

import dataclasses

import pytest

distributed = pytest.importorskip("distributed")

from closedchain.sweep.cluster import (  # noqa: E402 (after the package is known to be there)
    Cluster,
    Keys,
    check_address,
    check_files,
)
from closedchain.sweep.factors import BadStudy  # noqa: E402
from closedchain.sweep.running import sweep  # noqa: E402


@pytest.fixture
def keys(tmp_path):
    """A certificate of our own making, as files; the same for both ends."""
    made = distributed.Security.temporary()
    names = {"ca": made.tls_ca_file, "cert": made.tls_client_cert, "key": made.tls_client_key}
    for name, text in names.items():
        (tmp_path / f"{name}.pem").write_text(text)
    return Keys(*(str(tmp_path / f"{name}.pem") for name in names))


@pytest.mark.filterwarnings("ignore")  # Dask's own, at its workers' end
def test_a_cluster_over_tls_gives_the_same_file(strip, runs, keys, tmp_path):
    """A scheduler and two worker processes; the same CSV to the byte."""
    security = distributed.Security(
        tls_ca_file=keys.ca, tls_client_cert=keys.cert, tls_client_key=keys.key, tls_scheduler_cert=keys.cert,
        tls_scheduler_key=keys.key, tls_worker_cert=keys.cert, tls_worker_key=keys.key, require_encryption=True,
    )  # fmt: skip
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "host": "127.0.0.1"}
    options |= {"dashboard_address": None, "scheduler_kwargs": {"dashboard": False}}
    with distributed.LocalCluster(**options, protocol="tls://", security=security) as cluster:
        address = cluster.scheduler_address
        assert address.startswith("tls://")
        for asked in (strip, runs):
            with Cluster(address, asked, keys) as runner:
                sweep(asked, runner=runner).save(tmp_path / "cluster.csv")
            sweep(asked).save(tmp_path / "here.csv")
            assert (tmp_path / "cluster.csv").read_bytes() == (tmp_path / "here.csv").read_bytes()


@pytest.mark.parametrize(
    "address, words",
    [
        ("tcp://10.0.0.7:8786", "tcp:// hides nothing"),
        ("tls://10.0.0.7:8786", "needs --tls-ca"),
        ("http://10.0.0.7:8786", "write tls://host:8786"),
        ("10.0.0.7", "write tls://host:8786"),
        ("tls://10.0.0.7:port", "write tls://host:8786"),
        ("tcp://[::1:8786", "write tls://host:8786"),
        ("tcp://127.0.0.1.example.org:8786", "tcp:// hides nothing"),
    ],
)
def test_an_address_that_is_not_safe_is_refused(address, words):
    """Before anything is sent."""
    with pytest.raises(BadStudy, match=words):
        check_address(address, Keys(), insecure=False)


def test_loopback_and_what_was_insisted_on_are_not_refused():
    """Plain tcp:// stays on this computer, or was asked for."""
    for address in ("tcp://127.0.0.1:8786", "tcp://localhost:8786", "tcp://[::1]:8786"):
        check_address(address, Keys(), insecure=False)
    check_address("tcp://10.0.0.7:8786", Keys(), insecure=True)
    check_address("tls://10.0.0.7:8786", Keys("a", "b", "c"), insecure=False)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"ca": "nosuch.pem"}, "--tls-ca nosuch.pem: no such file"),
        ({"ca": "key"}, "no certificates in PEM"),
        ({"cert": "nosuch.pem"}, "--tls-cert nosuch.pem: no such file"),
        ({"key": "nosuch.pem"}, "--tls-key nosuch.pem: no such file"),
        ({"cert": "key"}, "not a certificate and its own key"),
    ],
)
def test_files_that_are_missing_or_wrong_are_named(keys, wrong, words):
    """Before a scheduler is asked: the option, the file, and what is the matter with it."""
    check_files(keys)
    changed = {option: getattr(keys, file, file) for option, file in wrong.items()}
    with pytest.raises(BadStudy, match=words):
        check_files(dataclasses.replace(keys, **changed))
