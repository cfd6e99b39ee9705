"""What maintainers use: init, validate, shell, schema, on the toy track."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_benchmac.cli.advice import advice
from pytest_benchmac.cli.main import main
from pytest_benchmac.input.instances import load_instance
from pytest_benchmac.model.errors import InstanceError
from pytest_benchmac.model.evaluation import Attempt, HostAccess
from pytest_benchmac.tracks.angular.initial import initial
from tests.records import evaluation
from tests.toy_bench import TOY_TRACK, git, session_env

LOCAL = ["--sandbox=local", "--network=open"]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A repository with a base and its migration."""
    folder = tmp_path / "my-book"
    (folder / "pages").mkdir(parents=True)
    template = TOY_TRACK / "instances" / "tiny_v1_to_v2" / "source"
    for path in template.rglob("*"):
        if path.is_file():
            (folder / path.relative_to(template)).write_bytes(path.read_bytes())
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "base")
    git(folder, "tag", "before")
    (folder / "VERSION").write_text("2\n")
    git(folder, "commit", "-qam", "migrated")
    (folder / "VERSION").write_text("not committed\n")
    return folder


@pytest.fixture
def instances(checkout: Path, tmp_path: Path) -> Path:
    out = tmp_path / "instances"
    words = ["init", str(checkout), "--track=toy", "--at=before", "--silver=HEAD"]
    assert main([*words, "--id=book_v1_to_v2", "--output", str(out)]) == 0
    return out


def test_init_writes_an_instance_that_validates(
    instances: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    instance = load_instance(instances / "book_v1_to_v2" / "instance.toml")
    assert (instance.source.path, instance.track) == ("source", "toy")
    assert (instances / "book_v1_to_v2" / "source" / "VERSION").read_text() == "1\n"
    reports = f"--reports={tmp_path / 'reports'}"
    ids = ["book_v1_to_v2", "book_*"]
    assert main(["validate", *ids, f"--instances={instances}", *LOCAL, reports]) == 0
    said = capsys.readouterr().out
    assert "silver" in said
    # Nothing is known of integrity in the local sandbox, and that is told.
    assert "note: integrity is unchecked" in said
    assert main(["validate", "book_v1_to_v2", "nope", f"--instances={instances}", reports]) == 4
    assert "no instance matches 'nope'" in capsys.readouterr().err


def test_init_refuses_what_it_cannot_use(
    checkout: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert main(["init", str(checkout), "--output", str(out)]) == 4
    assert "package.json" in capsys.readouterr().err
    assert not (out / "my-book").exists()
    assert main(["init", str(checkout), "--track=toy", "--at=nowhere"]) == 4
    assert main(["init"]) == 4


def test_shell_runs_lines_in_the_sandbox(
    instances: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    patch = instances / "book_v1_to_v2" / "silver.patch"
    lines = "cat VERSION\ncd pages\n\nls\nfalse\n"
    monkeypatch.setattr(sys, "stdin", io.StringIO(lines))
    words = ["shell", "book_v1_to_v2", f"--instances={instances}", *LOCAL, f"--patch={patch}"]
    assert main([*words, f"--reports={tmp_path / 'reports'}"]) == 1
    told = capsys.readouterr()
    assert told.out.split() == ["2", "one.txt", "two.txt"]
    assert "build: sh build.sh" in told.err


def test_schema_is_the_one_that_is_shipped(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema"]) == 0
    assert "instance" in json.loads(capsys.readouterr().out)["title"].lower()
    assert main(["schema", "leaderboard"]) == 0
    assert "tracks" in json.loads(capsys.readouterr().out)["properties"]


def test_misspelt_words_are_guessed(capsys: pytest.CaptureFixture[str]) -> None:
    for words, meant in (
        (["agregate"], "did you mean aggregate?"),
        (["aggregate", "x", "--fail-undr=1"], "did you mean --fail-under?"),
        (["xyzzy"], "invalid choice"),
        # Another command's option is none of this one's.
        (["init", "x", "--instances=y"], "benchmac init: error: unrecognized arguments"),
    ):
        with pytest.raises(SystemExit) as ended:
            main(words)
        assert ended.value.code == 4
        told = capsys.readouterr().err
        assert meant in told
        assert "mean --instances" not in told


def test_a_new_track_is_a_package_that_judges(tmp_path: Path) -> None:
    env = session_env(tmp_path / "home", tmp_path / "cache")
    command = [sys.executable, "-m", "pytest_benchmac.cli.main", "init", "--track", "poems"]
    command += ["--output", "tracks"]
    subprocess.run(command, cwd=tmp_path, env=env, check=True, capture_output=True)
    package = tmp_path / "tracks" / "poems_track"
    texts = [p.read_text() for p in package.rglob("*") if p.suffix in (".py", ".toml")]
    assert not any("toy" in text.lower() for text in texts)
    for text in texts:
        assert "class PoemsTrack" in text or "Toy" not in text
    # Installed, as far as entry points go.
    installed = package / "benchmac_poems_track-0.1.0.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Name: benchmac-poems-track\nVersion: 0.1.0\n")
    (installed / "entry_points.txt").write_text(
        "[benchmac.tracks]\npoems = benchmac_poems_track.track:track\n"
    )
    judge = [
        "--silver",
        f"--instances={package / 'instances'}",
        "--sandbox=local",
        "--network=open",
    ]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *judge],
        cwd=tmp_path,
        env=env | {"PYTHONPATH": str(package)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Leaderboard: poems" in done.stdout


def angular(folder: Path, **files: object) -> Path:
    (folder / "source").mkdir(parents=True)
    for name, content in files.items():
        path = folder / name.replace("_json", ".json").replace("_", "-")
        path.write_text(content if isinstance(content, str) else json.dumps(content))
    return folder


def test_angular_checkouts_say_what_they_are(tmp_path: Path) -> None:
    builder = {
        "architect": {
            "build": {"options": {"aot": False}},
            "test": {"builder": "@angular-devkit/build-angular:karma"},
        }
    }
    checkout = angular(
        tmp_path / "app",
        package_json={"license": "MIT", "dependencies": {"@angular/core": "^16.0.0"}},
        package_lock_json={"packages": {"node_modules/@angular/core": {"version": "16.2.12"}}},
        angular_json={"projects": {"app": {"projectType": "application", **builder}}},
    )
    (checkout / ".nvmrc").write_text("v18.19.0\n")
    (checkout / "src").mkdir()
    address = "https://fonts.googleapis.com/css?family=Roboto:300,400|Open+Sans&amp;display=swap"
    early = '<link href="https://fonts.googleapis.com/" rel="preconnect">'
    page = f'{early}<link href="{address}" rel="stylesheet">'
    (checkout / "src/index.html").write_text(page)
    text = initial(checkout, "app", None).replace("@source@", 'path = "source"')
    (tmp_path / "app" / "instance.toml").write_text(text)
    instance = load_instance(tmp_path / "app" / "instance.toml")
    told = instance.model_dump(exclude={"directory"})
    assert told["migration"] == {"source_version": "16.2.12", "target_version": "17"}
    assert told["environment"]["node"] == "18.20.8"
    (fixture,) = told["http_fixtures"]
    assert fixture["url"] == "https://fonts.googleapis.com/css"
    assert fixture["body"].count("@font-face { font-family: '") == 2
    assert ".nvmrc says 18.19.0" in text
    assert told["commands"]["install"] == "npm ci"
    assert told["commands"]["build"] == "npx ng build --configuration=production --aot"
    assert 'test = "npx ng test"' in text
    assert 'reporter = "karma"' in text


def test_jest_and_its_command_agree(tmp_path: Path) -> None:
    checkout = angular(
        tmp_path / "app",
        package_json={"dependencies": {"@angular/core": "18"}, "devDependencies": {"jest": "29"}},
        package_lock_json={"packages": {"node_modules/@angular/core": {"version": "18.2.14"}}},
        angular_json={"projects": {"app": {}}},
    )
    text = initial(checkout, "app", "20").replace("@source@", 'path = "source"')
    for commented in ("test = ", "[tests]", "reporter = "):
        text = text.replace(f"# {commented}", commented)
    file = tmp_path / "app" / "instance.toml"
    file.write_text(text)
    assert load_instance(file).model_dump()["commands"]["test"] == "npx jest"
    file.write_text(text.replace('"npx jest"', '"npx ng test"'))
    with pytest.raises(InstanceError, match="whose command begins with `npx jest`"):
        load_instance(file)


@pytest.mark.parametrize(
    ("lock", "content", "install"),
    [
        (
            "pnpm-lock.yaml",
            "lockfileVersion: '9.0'\npackages:\n  '@angular/core@18.2.14':\n",
            "pnpm@9",
        ),
        (
            "pnpm-lock.yaml",
            "lockfileVersion: '6.0'\npackages:\n  /@angular/core@18.2.14(x):\n",
            "pnpm@8",
        ),
        ("yarn.lock", '"@angular/core@^18.2.0":\n  version "18.2.14"\n', "yarn@1.22.22"),
    ],
)
def test_other_package_managers(tmp_path: Path, lock: str, content: str, install: str) -> None:
    needs = {"dependencies": {"@angular/core": "^18.2.0"}}
    checkout = angular(tmp_path / "app", package_json=needs, angular_json={"projects": {}})
    (checkout / lock).write_text(content)
    text = initial(checkout, "app", None)
    assert f'install = "npx --yes {install}' in text
    assert 'source_version = "18.2.14"' in text


def test_nx_names_the_project(tmp_path: Path) -> None:
    checkout = angular(
        tmp_path / "app",
        package_json={"dependencies": {"@angular/core": "^18.2.0"}},
        package_lock_json={"packages": {"node_modules/@angular/core": {"version": "18.2.14"}}},
        nx_json={},
    )
    (checkout / "shop" / "src").mkdir(parents=True)
    (checkout / "shop" / "src" / "index.html").write_text("<body><my-shop></my-shop></body>")
    target = {"build": {"executor": "@angular/build:application"}}
    (checkout / "shop" / "project.json").write_text(json.dumps({"name": "shop", "targets": target}))
    text = initial(checkout, "app", None)
    assert 'build = "npx nx build shop --configuration=production"' in text
    assert '# root = "my-shop"' in text


def test_variables_are_part_of_a_definition_only_where_there_are_any(instances: Path) -> None:
    file = instances / "book_v1_to_v2" / "instance.toml"
    plain = load_instance(file)
    assert "variables" not in plain.model_dump_json()
    text = file.read_text().replace("[environment]", '[environment]\nvariables = { CI = "1" }')
    file.write_text(text)
    assert load_instance(file).definition_sha256 != plain.definition_sha256


@pytest.mark.parametrize(
    ("printed", "remedy"),
    [
        ("npm error command sh -c playwright install\n", "variables ="),
        (
            "npm ERR! `npm ci` can only install with an existing package-lock.json",
            "lockfileVersion",
        ),
        ("npm error code ERESOLVE\n", "--legacy-peer-deps"),
    ],
)
def test_known_failures_have_a_remedy(tmp_path: Path, printed: str, remedy: str) -> None:
    record = evaluation(reached=1)
    attempt = Attempt(command="x", exit_code=1, duration_s=1, stderr_tail=printed)
    stages = tuple(s.model_copy(update={"attempts": (attempt,)}) for s in record.stages)
    host = HostAccess(host="cdn.example", port=443, allowed=False, requests=1, origins={})
    told = list(advice(record.model_copy(update={"stages": stages, "hosts": (host,)}), tmp_path))
    assert "cdn.example" in told[0]
    assert any(remedy in each for each in told)
