"""A Ray cluster of several nodes on this machine, on loopback, with a cache for each node."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import ray._private.node
from ray.cluster_utils import Cluster

#: Ray takes 127.0.0.1 for the machine's own address, on which nobody listens then.
LOOPBACK = "127.0.0.2"
_PORTS = (
    "metrics_agent_port",
    "metrics_export_port",
    "dashboard_agent_listen_port",
    "runtime_env_agent_port",
)


class _Node(ray._private.node.Node):
    """A node that does not wait for the agents of a dashboard that nobody has.

    Its raylet gives them 15 s to write their ports to files, and dies; on a machine that is busy,
    importing Ray alone takes them longer.
    """

    def start_ray_processes(self) -> None:
        folder = Path(self.get_session_dir_path())
        for name in _PORTS[:3]:
            (folder / f"{name}_{self._node_id}").write_text("-1")
        port = self._ray_params.runtime_env_agent_port
        (folder / f"{_PORTS[3]}_{self._node_id}").write_text(str(port))
        super().start_ray_processes()


class Nodes:
    """A cluster whose head judges nothing."""

    def __init__(self, root: Path, env: dict[str, str]) -> None:
        self._root, self._env = root, env
        self._cluster: Cluster = Cluster(
            initialize_head=True,
            head_node_args={
                "num_cpus": 0,
                "include_dashboard": False,
                "include_log_monitor": False,
                **self._arguments("head"),
            },
        )

    @property
    def address(self) -> str:
        return str(self._cluster.address)

    def cache(self, name: str) -> Path:
        return self._root / name / "cache"

    def add(self, name: str, extra_env: dict[str, str] | None = None, **arguments: Any) -> Any:
        """A node that takes one case at a time."""
        defaults: dict[str, Any] = {
            "num_cpus": 1,
            "memory": 8 << 30,
            "resources": {"benchmac_local": 1},
        }
        return self._cluster.add_node(
            **{**defaults, **self._arguments(name, extra_env), **arguments}
        )

    def kill(self, node: Any) -> None:
        """As a machine that is switched off."""
        self._cluster.remove_node(node, allow_graceful=False)

    def close(self) -> None:
        self._cluster.shutdown()

    def _arguments(self, name: str, extra_env: dict[str, str] | None = None) -> dict[str, Any]:
        folder = self._root / name
        (folder / "tmp").mkdir(parents=True)
        env = {
            **self._env,
            **(extra_env or {}),
            "BENCHMAC_CACHE": str(self.cache(name)),
            "TMPDIR": str(folder / "tmp"),
            "RAY_USAGE_STATS_ENABLED": "0",
            # Importing Ray and this package may take minutes where everything else runs too.
            "RAY_worker_register_timeout_seconds": "600",
        }
        with socket.socket() as free:
            free.bind((LOOPBACK, 0))
            port = free.getsockname()[1]
        return {
            "node_ip_address": LOOPBACK,
            "env_vars": env,
            "runtime_env_agent_port": port,
            "metrics_agent_port": 0,
        }


@contextmanager
def nodes(root: Path, env: dict[str, str] | None = None) -> Iterator[Nodes]:
    """A cluster for a while."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    before = ray._private.node.Node
    ray._private.node.Node = _Node
    try:
        made = Nodes(root, env or {})
        try:
            yield made
        finally:
            made.close()
    finally:
        ray._private.node.Node = before
