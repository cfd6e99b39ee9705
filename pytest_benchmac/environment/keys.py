"""Names of images by what they are made from."""

from __future__ import annotations

import hashlib
import json
import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict

from pytest_benchmac.environment.recipe import BaseRecipe

logger = logging.getLogger("benchmac")
#: Part of every tag: a new number makes every image anew.
IMAGE_FORMAT = 2


def recipe_inputs(recipe: BaseRecipe) -> str:
    return json.dumps(asdict(recipe), default=str, sort_keys=True)


def key_of(*inputs: str) -> str:
    """Sixteen hexadecimal digits that stand for the inputs."""
    digest = hashlib.sha256(json.dumps([IMAGE_FORMAT, *inputs]).encode())
    return digest.hexdigest()[:16]


@contextmanager
def timed(what: str) -> Iterator[None]:
    logger.info("%s ...", what)
    started = time.monotonic()
    yield
    logger.info("%s took %.1f s", what, time.monotonic() - started)
