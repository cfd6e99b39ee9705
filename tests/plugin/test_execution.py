"""Where cases are judged, as far as no cluster is needed to say so."""

from tests.toy_bench import Bench


def test_a_cluster_and_processes_of_xdist_exclude_each_other(bench: Bench) -> None:
    bench.instance()
    bench.patch()
    session = bench.judge("--executor=ray", "-n", "2")
    assert session.status == 4, session
    assert "--executor=ray: the cluster runs several cases at a time, and -n" in session.err
    assert "Leave -n out" in session.err


def test_an_address_of_no_use_is_told(bench: Bench) -> None:
    bench.instance()
    bench.patch()
    session = bench.judge("--ray-address=auto")
    assert session.status == 4, session
    assert "--ray-address=auto: is of use with --executor=ray only" in session.err


def test_a_missing_extra_is_named(bench: Bench) -> None:
    bench.instance()
    bench.patch()
    # As if it were not installed, whether or not it is.
    bench.write("hidden/ray.py", "raise ImportError('No module named ray')\n")
    session = bench.judge("--executor=ray", PYTHONPATH=str(bench.root / "hidden"))
    assert session.status == 4, session
    assert "pip install 'pytest-benchmac[ray]'" in session.err


def test_a_client_of_ray_is_refused(bench: Bench) -> None:
    bench.instance()
    bench.patch()
    bench.write("hidden/ray.py", "")
    session = bench.judge(
        "--executor=ray", "--ray-address=ray://head:10001", PYTHONPATH=str(bench.root / "hidden")
    )
    assert session.status == 4, session
    assert "--ray-address=ray://head:10001: a Ray client is not on a node" in session.err
