"""SD-Feedback as a system under test: build, take the first error, ask the model, build again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import ClassVar, Literal

from pydantic import JsonValue

from pytest_benchmac.model.errors import InputError, NetworkError
from pytest_benchmac.model.instance import Instance
from pytest_benchmac.tracks.adapter import AdapterKind, Ending, ExitReason, Workspace
from pytest_benchmac.tracks.chat import (
    account,
    ask,
    require_litellm,
    require_model,
    secret_variables,
)
from pytest_benchmac.tracks.maven.instance import MavenInstance
from pytest_benchmac.tracks.maven.pom import POM
from pytest_benchmac.tracks.maven.project_files import ProjectFiles, UnwritableError
from pytest_benchmac.tracks.maven.sd_feedback.build_errors import (
    BuildError,
    read_errors,
    same_errors,
)
from pytest_benchmac.tracks.maven.sd_feedback.edits import EditError, apply_edits, read_edits
from pytest_benchmac.tracks.maven.seed import NO_SEED, SEED_OPTIONS, seed
from pytest_benchmac.tracks.toolchains.maven import maven_env

Goal = Literal["verify", "compile"]

#: The paper's bound.
CALLS = 80
PROMPTS = ("system", "user", "syntactic", "semantic")
_FACTS = {"source_version", "target_version", "goal"}
#: What each may name.
_WORDS = {
    "system": _FACTS,
    "user": _FACTS | {"error", "file", "source", "snippet", "pom_path", "pom"},
    "syntactic": _FACTS | {"problem"},
    "semantic": _FACTS | {"errors"},
}
#: Lines of the snippet above and below the error's.
_AROUND = 10
#: Of a file that the model is shown, and of a list of errors.
_MAX_SHOWN = 40_000
_MAX_LISTED = 20
#: Of one error, the answers that the model is reminded of; the task itself always stands first.
_REMEMBERED = 3


@dataclass(frozen=True)
class SdFeedback:
    """The loop of MigrationBench, section 5, with a model that litellm knows."""

    name: ClassVar[str] = "sd-feedback"
    instance_type: ClassVar[type[Instance]] = MavenInstance

    model: str
    sut: str
    goal: Goal
    #: Are Java levels in project files changed first?
    seeded: bool
    call_limit: int
    #: 0: none.
    cost_limit_usd: float
    #: Name -> text, see `PROMPTS`.
    prompts: Mapping[str, str]

    @classmethod
    def create(
        cls,
        *,
        model: str | None,
        sut: str | None = None,
        goal: Goal = "verify",
        seeded: bool = True,
        call_limit: int = CALLS,
        cost_limit_usd: float = 0.0,
        prompts: Path | None = None,
    ) -> SdFeedback:
        """Read the prompts.

        Args:
            model: as litellm names it.
            sut: the name on the leaderboard; None for one made of the model's.
            goal: which of the instance's commands has to succeed.
            seeded: change Java levels in project files first.
            call_limit: of the model, for one instance; 0 for none.
            cost_limit_usd: for one instance; 0 for none.
            prompts: a folder whose `system.txt` and so on take the place of the package's.

        Raises:
            InputError: litellm is not installed, no model is given, or a prompt cannot be read.
        """
        require_litellm("--sut sd-feedback")
        model = require_model(model, "--sut sd-feedback")
        return cls(
            model=model,
            sut=sut or f"sd-feedback/{model}{'' if seeded else NO_SEED}",
            goal=goal,
            seeded=seeded,
            call_limit=call_limit,
            cost_limit_usd=cost_limit_usd,
            prompts=read_prompts(prompts),
        )

    @property
    def secret_names(self) -> Sequence[str]:
        """Every variable that looks like a secret: a service may repeat one in a message."""
        return secret_variables()

    def settings(self) -> Mapping[str, JsonValue]:
        """Model, goal, limits, and a digest of the prompts."""
        text = json.dumps(dict(self.prompts), sort_keys=True)
        return {
            "model": self.model,
            "goal": self.goal,
            "seeded": self.seeded,
            "call_limit": self.call_limit,
            "cost_limit_usd": self.cost_limit_usd,
            "prompts_sha256": hashlib.sha256(text.encode()).hexdigest(),
        }

    def run(self, workspace: Workspace) -> Ending:
        """Fix errors until the goal is reached, or a limit."""
        if not isinstance(workspace.instance, MavenInstance):
            raise TypeError(f"{workspace.instance.id} is not a Maven instance")
        return _Run(self, workspace, workspace.instance).run()


def read_prompts(folder: Path | None) -> dict[str, str]:
    """The prompts, those of a folder before the package's.

    Raises:
        InputError: the folder has none of them, or one cannot be read.
    """
    own = files(__package__) / "prompts"
    texts = {name: (own / f"{name}.txt").read_text("utf-8") for name in PROMPTS}
    if folder is None:
        return texts
    there = [name for name in PROMPTS if (folder / f"{name}.txt").exists()]
    if not there:
        raise InputError(
            "has no prompt",
            where=folder,
            remedy=f"It may hold {', '.join(f'{name}.txt' for name in PROMPTS)}.",
        )
    for name in there:
        path = folder / f"{name}.txt"
        try:
            texts[name] = path.read_text("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"cannot be read: {error}", where=path) from error
        template = Template(texts[name])
        if not template.is_valid() or set(template.get_identifiers()) - _WORDS[name]:
            raise InputError(
                "has a $ that stands for nothing",
                where=path,
                remedy=f"It may name ${', $'.join(sorted(_WORDS[name]))}; $$ is a $.",
            )
    return texts


class _Run:
    """One instance under way."""

    def __init__(self, adapter: SdFeedback, workspace: Workspace, instance: MavenInstance) -> None:
        self._adapter = adapter
        self._workspace = workspace
        self._instance = instance
        self._files = ProjectFiles(workspace)
        #: On the way to registries, of all builds so far.
        self._trouble: set[str] = set()
        usage = workspace.usage
        usage.model_calls, usage.cost_usd = 0, 0.0

    def run(self) -> Ending:
        if self._adapter.seeded:
            seed(self._files, self._instance.migration.target_version)
        errors = self._build()
        while errors:
            after = self._fix(errors)
            if isinstance(after, Ending):
                return after
            errors = after
        return Ending(ExitReason.SUBMITTED, f"{self._adapter.goal} succeeds")

    def _build(self) -> tuple[BuildError, ...]:
        """Run the goal, and tell the trajectory what it finds; nothing where it succeeds."""
        goal = self._adapter.goal
        commands, timeouts = self._instance.commands, self._instance.timeouts
        ran = self._workspace.run(
            getattr(commands, goal),
            timeout_s=getattr(timeouts, goal),
            env=maven_env(self._workspace.sandbox.home),
        )
        if ran.exit_code == 0:
            return ()
        errors = read_errors(ran.output, str(self._workspace.sandbox.project))
        trouble = set(self._workspace.network_trouble()) - self._trouble
        self._trouble |= trouble
        # What a compiler or a test found, no way to a registry would have changed.
        if trouble and not any(error.in_source for error in errors):
            raise NetworkError(min(trouble))
        if not errors:
            how = "took too long" if ran.timed_out else f"exited {ran.exit_code}"
            last = "\n".join(ran.output.splitlines()[-_MAX_LISTED:])
            errors = (BuildError("", None, None, f"the build {how}:\n{last}"),)
        self._workspace.say(f"{len(errors)} error(s) of the build:\n{_listed(errors, None)}")
        self._workspace.flush()
        return errors

    def _fix(self, errors: Sequence[BuildError]) -> tuple[BuildError, ...] | Ending:
        """Ask until the errors are others; the errors then, or why nobody asks any more."""
        task = [
            {"role": "system", "content": self._text("system")},
            {"role": "user", "content": self._question(errors[0])},
        ]
        told: list[dict[str, str]] = []
        while True:
            if ending := self._limit():
                return ending
            self._workspace.check_time()
            answer = ask(self._adapter.model, [*task, *told[-2 * _REMEMBERED :]])
            account(self._workspace.usage, answer.cost_usd, answer.tokens)
            self._workspace.say(answer.text)
            self._workspace.flush()
            try:
                before = self._apply(answer.text)
            except (EditError, UnwritableError) as error:
                feedback = self._text("syntactic", problem=str(error))
            else:
                after = self._build()
                if not same_errors(after, errors):
                    return after
                self._restore(before)
                feedback = self._text("semantic", errors=_listed(errors))
            self._workspace.note(feedback.splitlines()[0])
            told += [
                {"role": "assistant", "content": answer.text},
                {"role": "user", "content": feedback},
            ]

    def _apply(self, answer: str) -> dict[str, str | None]:
        """Apply the edits of an answer; the files as they were."""
        before: dict[str, str | None] = {}

        def read(path: str) -> str | None:
            before[path] = self._files.read(path)
            return before[path]

        changed = apply_edits(read_edits(answer), read)
        before = {path: before[path] for path in changed}
        try:
            for path, text in changed.items():
                self._files.write(path, text)
        except UnwritableError:
            self._restore(before)
            raise
        return before

    def _restore(self, before: Mapping[str, str | None]) -> None:
        """Take edits back, as far as files let themselves be written."""
        for path, text in before.items():
            with suppress(UnwritableError):
                self._files.write(path, text)

    def _limit(self) -> Ending | None:
        usage, adapter = self._workspace.usage, self._adapter
        if adapter.call_limit and (usage.model_calls or 0) >= adapter.call_limit:
            return Ending(ExitReason.STEP_LIMIT, f"the limit of {adapter.call_limit} calls")
        if adapter.cost_limit_usd and (usage.cost_usd or 0.0) >= adapter.cost_limit_usd:
            return Ending(ExitReason.COST_LIMIT, f"the limit of {adapter.cost_limit_usd:g} USD")
        return None

    def _question(self, error: BuildError) -> str:
        file = self._find(error.file)
        source = self._files.read(file) if file else None
        pom_path, pom = self._pom_of(file)
        return self._text(
            "user",
            error=str(error),
            file=file or "(the build names none)",
            source=_shown(source),
            snippet=_snippet(source, error.line),
            pom_path=pom_path,
            pom=_shown(pom),
        )

    def _find(self, file: str) -> str:
        """Where a file of the project lies; of a test the build names the class alone."""
        if not file or "/" in file or file == POM:
            return file
        return next(iter(self._files.named(file)), file)

    def _pom_of(self, file: str) -> tuple[str, str | None]:
        """The project file of the module that a file belongs to, and its text."""
        if file.endswith(".xml"):
            return file, self._files.read(file)
        folder = file.rpartition("/")[0]
        while folder:
            path = f"{folder}/{POM}"
            if (text := self._files.read(path)) is not None:
                return path, text
            folder = folder.rpartition("/")[0]
        return POM, self._files.read(POM)

    def _text(self, prompt: str, **words: str) -> str:
        migration = self._instance.migration
        return Template(self._adapter.prompts[prompt]).substitute(
            words,
            source_version=migration.source_version,
            target_version=migration.target_version,
            goal=self._adapter.goal,
        )


def _snippet(source: str | None, line: int | None) -> str:
    """The lines around an error, each with its number."""
    if source is None or line is None:
        return "(the build names none)"
    lines = source.splitlines()
    first = max(0, line - 1 - _AROUND)
    return "\n".join(
        f"{number:5} {text}"
        for number, text in enumerate(lines[first : line + _AROUND], start=first + 1)
    )


def _shown(text: str | None) -> str:
    if text is None:
        return "(there is none)"
    written = text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    if len(written) > _MAX_SHOWN:
        return f"{written[:_MAX_SHOWN]}\n[... {len(written) - _MAX_SHOWN} characters left out ...]"
    return written


def _listed(errors: Sequence[BuildError], most: int | None = _MAX_LISTED) -> str:
    told = [f"- {error}" for error in errors[:most]]
    if len(errors) > len(told):
        told.append(f"- and {len(errors) - len(told)} more")
    return "\n".join(told)


KIND = AdapterKind(
    name=SdFeedback.name,
    create=lambda args: SdFeedback.create(
        model=args.model,
        sut=args.name,
        goal=args.goal or "verify",
        seeded=not args.no_seed,
        call_limit=CALLS if args.calls is None else args.calls,
        cost_limit_usd=args.cost_limit or 0.0,
        prompts=args.prompts,
    ),
    options={
        "--model": {"metavar": "NAME", "help": "as litellm names it"},
        "--calls": {
            "metavar": "N",
            "type": int,
            "help": f"calls of the model for one instance; 0: no limit (default: {CALLS})",
        },
        "--cost-limit": {
            "metavar": "USD",
            "type": float,
            "help": "dollars for one instance; 0: no limit (default: 0)",
        },
        "--goal": {
            "choices": ("verify", "compile"),
            "help": "which of the instance's commands has to succeed (default: verify)",
        },
        **SEED_OPTIONS,
        "--prompts": {
            "metavar": "DIR",
            "type": Path,
            "help": f"files that take the place of the package's: "
            f"{', '.join(f'{name}.txt' for name in PROMPTS)}",
        },
    },
    examples=("--model provider/name --instance '*_java8_to_17' --out patches",),
)
