"""The cluster of a session: joined or started, and its nodes looked at before anything runs."""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pytest_benchmac.model.errors import InputError
from pytest_benchmac.model.settings import GIB, Settings

#: Seconds in which every node has to say what it has.
_LOOK_S = 300.0
_OPTION = "--executor=ray"


@dataclass(frozen=True)
class Cluster:
    """A cluster that this process is connected to."""

    #: What a case takes of a node, as Ray's options of a task.
    demand: Mapping[str, Any]
    #: Digest of the code that decides evaluations; see `orders.fingerprint`.
    fingerprint: str
    #: For people.
    told: str


def sandbox_resource(settings: Settings) -> str:
    """Name of the resource by which nodes declare how many cases they take in such sandboxes."""
    return f"benchmac_{settings.sandbox}"


def demand_of(settings: Settings) -> dict[str, Any]:
    """A processor, as much memory as its sandbox may use, and one sandbox."""
    return {
        "num_cpus": settings.limits.cpus or 1,
        "memory": settings.limits.memory_bytes,
        "resources": {sandbox_resource(settings): 1},
        # A lost case is handed out again here, where it is counted.
        "max_retries": 0,
    }


def join(address: str | None, settings: Settings) -> Cluster:
    """Connect this process to a cluster, or to one of this machine alone, and look at its nodes.

    Args:
        address: of a cluster's head, `auto`, or None to start one here, on loopback.
        settings: of the cases; its sandbox is chosen.

    Raises:
        InputError: the extra is missing, there is no cluster, or a node cannot judge these cases.
    """
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    try:
        import ray
    except ImportError as error:
        raise InputError(
            f"Ray cannot be imported: {error}",
            where=_OPTION,
            remedy="pip install 'pytest-benchmac[ray]'",
        ) from error
    if address is not None and address.startswith("ray://"):
        raise InputError(
            "a Ray client is not on a node, and nodes load bases from the driver's machine",
            where=f"--ray-address={address}",
            remedy="Run pytest on a node (`ray start --address=...`), with --ray-address=auto.",
        )
    connect: dict[str, Any] = {"address": address or "local", "log_to_driver": False}
    if address is None:
        processors = os.cpu_count() or 1
        connect |= {
            "include_dashboard": False,
            "_node_ip_address": "127.0.0.1",
            "num_cpus": processors,
            "resources": {sandbox_resource(settings): processors},
        }
    on_sigterm = signal.getsignal(signal.SIGTERM)
    try:
        ray.init(**connect)
    except (ConnectionError, ValueError, RuntimeError, TimeoutError) as error:
        raise InputError(
            f"no cluster answers: {error}",
            where=f"--ray-address={address}" if address else _OPTION,
            remedy="Start one with `ray start --head --disable-usage-stats "
            f"--include-dashboard=false --resources='{{\"{sandbox_resource(settings)}\": 4}}'`.",
        ) from error
    finally:
        # Ray puts its own there.
        signal.signal(signal.SIGTERM, on_sigterm)
    try:
        return _looked_at(settings)
    except BaseException:
        ray.shutdown()
        raise


def _looked_at(settings: Settings) -> Cluster:
    import ray
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    from pytest_benchmac.executors.ray import node
    from pytest_benchmac.executors.ray.orders import NodeReport, fingerprint, versions

    name = sandbox_resource(settings)
    nodes: list[dict[str, Any]] = ray.nodes()  # type: ignore[no-untyped-call]
    alive = [each for each in nodes if each["Alive"]]
    takers = [each for each in alive if each["Resources"].get(name, 0) >= 1]
    if not takers:
        raise InputError(
            f"none of the cluster's {len(alive)} node(s) declares how many cases it takes",
            where=_OPTION,
            remedy=f"Start nodes with `ray start ... --resources='{{\"{name}\": 4}}'`.",
        )
    look = ray.remote(num_cpus=0, max_retries=0)(node.look)
    asked = {
        look.options(
            scheduling_strategy=NodeAffinitySchedulingStrategy(each["NodeID"], soft=False)
        ).remote(settings): f"{each['NodeName']} ({each['NodeID'][:8]})"
        for each in takers
    }
    own = fingerprint()
    problems = []
    present = []
    for (reference, named), taker in zip(asked.items(), takers, strict=True):
        try:
            report: NodeReport = ray.get(reference, timeout=_LOOK_S)
        except (ray.exceptions.TaskUnschedulableError, ray.exceptions.NodeDiedError):
            # It is gone, which Ray notices some time after it went: the others can judge.
            continue
        except ray.exceptions.RayError as error:
            said = str(error).strip().splitlines()
            problems.append(f"node {named} cannot run pytest-benchmac: {said[-1] if said else ''}")
            continue
        if report.fingerprint != own:
            problems.append(
                f"node {report.name} has other code ({report.versions}; {report.fingerprint[:12]}) "
                f"than this machine ({versions()}; {own[:12]}): install the same there"
            )
        elif report.problem:
            problems.append(f"node {report.name} declares {name}, but: {report.problem}")
        present.append(taker)
    if not present and not problems:
        problems.append("all of them were lost while they were asked what they have")
    if problems:
        raise InputError("\n  ".join(["nodes cannot judge:", *problems]), where=_OPTION)
    demand = demand_of(settings)
    slots = sum(_slots(each["Resources"], demand, name) for each in present)
    if not slots:
        has = ", ".join(_room(each["Resources"]) for each in present)
        raise InputError(
            f"no node can ever hold a case, which takes {_room(_taken(demand))}; "
            f"the {len(present)} that declare {name} have {has}",
            where=_OPTION,
            remedy="Add a larger one, or, where your cases get along with less, start nodes that "
            "declare more: `ray start --memory=BYTES --num-cpus=N ...`, and --ray-address=auto.",
        )
    told = f"Ray cluster, {len(present)} node(s) with {name}, {slots} case(s) at a time"
    return Cluster(demand, own, told)


def can_hold(cluster: Cluster) -> bool:
    """Is there a node that can hold a case, be it at work or not?"""
    import ray

    nodes: list[dict[str, Any]] = ray.nodes()  # type: ignore[no-untyped-call]
    (name,) = cluster.demand["resources"]
    return any(each["Alive"] and _slots(each["Resources"], cluster.demand, name) for each in nodes)


def _taken(demand: Mapping[str, Any]) -> dict[str, float]:
    return {"CPU": demand["num_cpus"], "memory": demand["memory"]}


def _room(resources: Mapping[str, float]) -> str:
    """Processors and memory in words."""
    memory = resources.get("memory", 0) / GIB
    return f"{resources.get('CPU', 0):g} processor(s) and {memory:.1f} GiB"


def _slots(resources: Mapping[str, float], demand: Mapping[str, Any], name: str) -> int:
    return int(
        min(
            resources.get("CPU", 0) // demand["num_cpus"],
            resources.get("memory", 0) // demand["memory"],
            resources.get(name, 0),
        )
    )
