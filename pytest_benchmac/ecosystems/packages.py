"""Packages that are unpacked into a base."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from pytest_benchmac.ecosystems.answers import Answers, FetchUsage, MissError
from pytest_benchmac.ecosystems.base import Package, PackageFile
from pytest_benchmac.ecosystems.cache import HttpCache, IntegrityError
from pytest_benchmac.ecosystems.registry import get_ecosystem
from pytest_benchmac.ecosystems.upstream import MissingError, UpstreamError
from pytest_benchmac.model.errors import ImageError, NetworkError


def files_of(package: Package, cache: Path) -> list[PackageFile]:
    """What a package holds, verified by its registry's metadata and the package's own digest.

    Args:
        package: which.
        cache: `settings.cache`; what is in it need not be fetched.

    Raises:
        ImageError: it cannot be had, or is not what was promised.
    """
    what = f"{package.ecosystem} package {package.name} {package.version}"
    ecosystem = get_ecosystem(package.ecosystem)
    try:
        registry = ecosystem.registry(os.environ)
        answers = Answers(HttpCache(cache / "http"))
        file, described = ecosystem.find(package, registry, answers)
        content, _ = answers.file(ecosystem.repository(registry), file, FetchUsage(), described)
    except NetworkError as error:
        raise ImageError(f"{what} cannot be had: {error.what}", remedy=error.remedy) from error
    except (UpstreamError, MissingError, MissError) as error:
        raise ImageError(
            f"{what} cannot be had: {error}",
            remedy="check what configures its registry, HTTPS_PROXY and SSL_CERT_FILE",
        ) from error
    except IntegrityError as error:
        raise ImageError(
            f"{what} is not what its registry promises: {error}",
            remedy="look at what the registry, or a proxy on the way to it, delivers",
        ) from error
    seen = hashlib.sha256(content).hexdigest()
    if package.sha256 not in ("", seen):
        raise ImageError(f"{what} has the SHA-256 {seen}, not {package.sha256}")
    return list(ecosystem.files(package, content))
