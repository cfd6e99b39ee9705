"""The same tiny cases as the plugin's tests, judged without pytest in between."""

from tests.plugin.conftest import bench, cache, template

__all__ = ["bench", "cache", "template"]
