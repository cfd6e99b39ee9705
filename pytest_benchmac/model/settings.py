"""How a run is carried out: what `evaluate` needs to know beside the case itself."""

import hmac
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

SandboxName = Literal["auto", "docker", "bubblewrap", "local"]
NetworkName = Literal["proxied", "offline", "open"]

#: Seeds lie below this: whole numbers that survive in any reader's JSON.
SEEDS = 2**53

MIB = 1024 * 1024
GIB = 1024 * MIB


@dataclass(frozen=True)
class Limits:
    """Bounds of one sandbox. A bound that is hit is recorded with the attempt that hit it.

    `memory_bytes` counts files in memory (tmpfs) too, so it has to be above `disk_bytes`.
    """

    memory_bytes: int = 8 * GIB
    pids: int = 512
    #: Number of processors, fractions allowed; None leaves all of them.
    cpus: float | None = None
    #: What a case may write in all: project, home and temporary files.
    disk_bytes: int = 5 * GIB
    #: Output kept per command; more is counted and thrown away, and the log says so.
    output_bytes: int = 64 * MIB


def seed_of(run_seed: int, instance_id: str) -> int:
    """The seed of an instance's cases in a run; nothing of another instance's can be told from it.

    Args:
        run_seed: of the run, in [0, SEEDS).
        instance_id: of the instance.
    """
    digest = hmac.digest(run_seed.to_bytes(8, "big"), instance_id.encode(), "sha256")
    return int.from_bytes(digest[:8], "big") % SEEDS


def default_cache() -> Path:
    """BENCHMAC_CACHE, else /var/cache/benchmac for root, else the user's cache folder.

    Root does not use its home, since the unprivileged user of a sandbox has to reach the root
    file systems that are kept here.
    """
    if configured := os.environ.get("BENCHMAC_CACHE"):
        return Path(configured).absolute()
    if os.geteuid() == 0:
        return Path("/var/cache/benchmac")
    home = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(home).expanduser() / "benchmac"


def default_network(sandbox: SandboxName) -> NetworkName:
    """`proxied`, but for the local sandbox, which cannot keep anything from the network."""
    return "open" if sandbox == "local" else "proxied"


@dataclass(frozen=True)
class Settings:
    """Everything beside the case that an evaluation depends on."""

    #: Folder for records, logs and artifacts.
    reports: Path
    sandbox: SandboxName = "auto"
    network: NetworkName = "proxied"
    #: Folder of bare repositories, `<owner>/<name>.git`, used instead of cloning.
    source_mirror: Path | None = None
    #: Images, sources and packages, shared by runs; safe to delete between them.
    cache: Path = field(default_factory=default_cache)
    #: So much is kept in the cache, of all its parts together: what was used longest ago goes, and
    #: never what a running case uses.
    cache_bytes: int = 20 * GIB
    limits: Limits = Limits()
    #: Do everything the long way, with nothing that only saves time; verdicts are the same.
    plain: bool = False
    #: Judge again even where a stored evaluation would do.
    rerun: bool = False
    #: Seconds until a case that ended in an infrastructure error runs again; each further time
    #: four times as long.
    retry_wait_s: float = 5.0
    #: What every case draws at random from; None draws what nobody can foresee.
    seed: int | None = None
    #: What is drawn then, for each instance another: all its cases of a run are asked the same.
    #: None draws one for each case.
    run_seed: int | None = None
    #: A patch larger than this fails its patch stage unread.
    max_patch_bytes: int = 64 * MIB
