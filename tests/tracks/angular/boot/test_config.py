"""The `[boot]` section: what is refused, and what the packaged instances declare."""

from pathlib import Path

import pytest

from pytest_benchmac.input.instances import load_instance, load_instances
from pytest_benchmac.model.errors import InstanceError
from pytest_benchmac.tracks.angular.instance import AngularInstance
from tests.tracks.angular.boot.test_stage import INSTANCE


def load(tmp_path: Path, definition: str) -> AngularInstance:
    folder = tmp_path / "ferry"
    (folder / "source").mkdir(parents=True)
    (folder / "instance.toml").write_text(definition)
    instance = load_instance(folder / "instance.toml")
    assert isinstance(instance, AngularInstance)
    return instance


def test_a_whole_section(tmp_path: Path) -> None:
    boot = load(tmp_path, INSTANCE).boot
    assert boot is not None
    assert boot.viewport == (400, 300)
    assert [route.path for route in boot.routes] == ["/", "/book"]
    (interaction,) = boot.routes[1].interactions
    assert (interaction.fill, interaction.click) == ({"#name": "Ada"}, "#go")
    assert [fixture.method for fixture in boot.fixtures] == ["GET", "POST"]


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('root = "app-root"', 'roots = "app-root"', "key `boot.roots` is unknown"),
        ('path = "/book"', 'path = "book"', "starts with a slash"),
        ('path = "/book"', 'path = "/"', "each route once"),
        ("= 0.8", "= 1.5", "at most 1"),
        ("[400, 300]", "[400, 30]", "at least 200"),
        ('method = "POST"', 'method = "post"', "GET, HEAD, POST"),
        ('urls = ["https://api.example/ferries"]', 'urls = ["/ferries"]', "an http or https"),
        ('click = "#go"\n', 'clicks = "#go"\n', "Did you mean 'click'?"),
        ("viewport", "calibration = { honest = 0.7, fake = 0.5 }\nviewport", "not above `honest`"),
        ("viewport", "calibration = { honest = 0.9, fake = 0.8 }\nviewport", "above `fake`"),
        (
            'path = "/"\n',
            'path = "/"\n[[boot.routes.interactions]]\n',
            "an interaction takes `fill`, `click` or `expect`",
        ),
        (
            'path = "/"\n',
            'path = "/"\n' + '[[boot.routes.interactions]]\nclick = "a"\n' * 60,
            "at most 60",
        ),
    ],
)
def test_what_is_refused_says_why(tmp_path: Path, old: str, new: str, told: str) -> None:
    assert old in INSTANCE
    with pytest.raises(InstanceError) as error:
        load(tmp_path, INSTANCE.replace(old, new, 1))
    assert told in str(error.value)


def test_every_packaged_angular_instance_boots() -> None:
    angular = [each for each in load_instances().values() if isinstance(each, AngularInstance)]
    assert len(angular) >= 12
    assert [each.id for each in angular if each.boot is None] == []


def test_a_boot_section_decides_an_evaluation(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    one = load(tmp_path / "a", INSTANCE)
    other = load(tmp_path / "b", INSTANCE.replace('"Ada to a"', '"Ada to b"'))
    assert one.definition_sha256 != other.definition_sha256
