"""npm: packages of JavaScript, for npm, yarn, pnpm and bun."""

from __future__ import annotations

import io
import shutil
import subprocess
import tarfile
from collections.abc import Collection, Iterator, Mapping
from pathlib import PurePosixPath

from pytest_benchmac.ecosystems.address import Described, File, Registry
from pytest_benchmac.ecosystems.answers import Answers, FetchUsage
from pytest_benchmac.ecosystems.base import Ecosystem, Package, PackageFile, Setup, Words
from pytest_benchmac.ecosystems.npm.faults import FAULTS
from pytest_benchmac.ecosystems.npm.locks import portable_lock
from pytest_benchmac.ecosystems.npm.repository import NpmRepository
from pytest_benchmac.model.errors import NetworkError

_VARIABLES = ("npm_config_registry", "NPM_CONFIG_REGISTRY")
_REMEDY = "Set NPM_CONFIG_REGISTRY to the URL of the registry that installs may use."
#: npm's own calls home, which are no part of an install.
_QUIET = {
    "npm_config_audit": "false",
    "npm_config_fund": "false",
    "npm_config_update_notifier": "false",
}
#: By these, packages do without what their install fetches from hosts that are no registry
#: (browsers and other binaries), and without setting up a developer's checkout.
SKIPPED_DOWNLOADS = {
    "CHROMEDRIVER_SKIP_DOWNLOAD": "true",
    "CYPRESS_INSTALL_BINARY": "0",
    "EDGEDRIVER_SKIP_DOWNLOAD": "true",
    "ELECTRON_SKIP_BINARY_DOWNLOAD": "1",
    "GECKODRIVER_SKIP_DOWNLOAD": "true",
    "HUSKY": "0",
    "HUSKY_SKIP_INSTALL": "1",
    "NX_DAEMON": "false",
    "PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD": "1",
    "PUPPETEER_SKIP_CHROMIUM_DOWNLOAD": "true",
    "PUPPETEER_SKIP_DOWNLOAD": "true",
    "SENTRYCLI_SKIP_DOWNLOAD": "1",
}


class Npm(Ecosystem):
    """See `base.Ecosystem`."""

    name = "npm"
    words = Words(
        installs=r"(npm|pnpm|yarn|bun)"
        r" (install|i|ci|add|update|up|clean-install|install-clean|isntall)( |$)"
        r"|(yarn|pnpm|bun)$|ng (update|add)( |$)",
        builds=r"ng (build|b)( |$)|(npm|pnpm|yarn|bun) (run |run-script )?build\S*( |$)",
        wrappers=frozenset({"npx", "bunx", "node"}),
        runners={
            "npm": frozenset({"exec", "x"}),
            "pnpm": frozenset({"exec", "dlx"}),
            "yarn": frozenset({"exec", "dlx"}),
            "bun": frozenset({"x"}),
        },
        aliases={r"@angular/cli(@\S+)?": "ng"},
    )
    probe_path = "npm/latest"
    faults = FAULTS
    lock_files = frozenset({"package-lock.json", "npm-shrinkwrap.json", "yarn.lock"})
    #: The last is a cache of the Angular CLI, which older projects do not ignore.
    never_collected = ("node_modules", ".angular")

    def registry(self, env: Mapping[str, str]) -> Registry:
        """That of the environment, else the answer of this machine's npm."""
        for name in _VARIABLES:
            if url := env.get(name):
                return Registry.parse(url)
        npm = shutil.which("npm", path=env.get("PATH"))
        if npm is None:
            raise NetworkError(
                "no npm registry is known: npm is not installed and NPM_CONFIG_REGISTRY is not set",
                remedy=_REMEDY,
            )
        try:
            asked = subprocess.run(
                [npm, "config", "get", "registry"],
                env=dict(env),
                capture_output=True,
                text=True,
                timeout=60,
                check=True,
            )
        except (OSError, subprocess.SubprocessError) as error:
            raise NetworkError(
                f"`npm config get registry` failed: {error}", remedy=_REMEDY
            ) from error
        return Registry.parse(asked.stdout)

    def repository(self, registry: Registry) -> NpmRepository:
        """See `base.Ecosystem`."""
        return NpmRepository(registry)

    def mount(self, registry: Registry) -> str:
        """The registry's own: versions of npm keep it when they replace the host of a lock file."""
        return registry.path

    def proxied(self, address: str, ca_bundle: str) -> Setup:
        """Without TLS, and with connections that are kept: old versions do neither by a tunnel.

        npm asks once: the proxy has asked the registry again by itself, and nothing else answers.
        """
        own = {
            "npm_config_registry": address,
            "npm_config_cafile": ca_bundle,
            "npm_config_fetch_retries": "0",
            # `npx` looks for a folder `lib` there; bootstrapped bases have none beside Node.
            "npm_config_prefix": "/usr/local",
        }
        return Setup(own | _QUIET | SKIPPED_DOWNLOADS)

    def open(self, env: Mapping[str, str], ca_bundle: str) -> Setup:
        """The registry that a variable names; npm itself knows the others."""
        passed = _QUIET | SKIPPED_DOWNLOADS
        if ca_bundle:
            passed["npm_config_cafile"] = ca_bundle
        for name in _VARIABLES:
            if url := env.get(name):
                passed["npm_config_registry"] = Registry.parse(url).url
                break
        return Setup(passed)

    def find(
        self, package: Package, registry: Registry, answers: Answers
    ) -> tuple[File, Described | None]:
        """The tarball of a version."""
        repository = NpmRepository(registry)
        metadata = repository.metadata(package.name, package.version)
        document, _ = answers.document(metadata, FetchUsage())
        found = repository.version(document, package.name, package.version)
        if found is None:
            raise NetworkError(f"{metadata.url} describes no such package (HTTP {document.status})")
        return found

    def files(self, package: Package, content: bytes) -> Iterator[PackageFile]:
        """The regular files below a tarball's one folder, whatever its name."""
        executables = set(package.links.values())
        with tarfile.open(fileobj=io.BytesIO(content)) as tar:
            for member in tar:
                inside = member.name.partition("/")[2]
                stream = tar.extractfile(member) if member.isreg() else None
                if stream is None or ".." in PurePosixPath(inside).parts:
                    continue
                executable = inside in executables or bool(member.mode & 0o100)
                yield PackageFile(inside, stream.read(), executable)

    def portable(self, lock: bytes, base: bytes | None, registries: Collection[str]) -> bytes:
        """See `base.Ecosystem`."""
        return portable_lock(lock, base, registries)


npm = Npm()
