"""Small agents of Harbor, found by their import path."""

import json
from pathlib import Path

from harbor.agents.base import BaseAgent
from harbor.environments.base import BaseEnvironment
from harbor.models.agent.context import AgentContext


class FromNpm(BaseAgent):
    """Installs a package for itself, and leaves its version."""

    @staticmethod
    def name() -> str:
        return "from-npm"

    def version(self) -> str:
        return "1.0"

    async def setup(self, environment: BaseEnvironment) -> None:
        ran = await environment.exec("npm install --prefix ~/tool is-number@7.0.0")
        assert ran.return_code == 0, ran

    async def run(
        self, instruction: str, environment: BaseEnvironment, context: AgentContext
    ) -> None:
        ran = await environment.exec(
            "node -p 'require(`${process.env.HOME}/tool/node_modules/is-number/package`).version'"
            " > VERSION; nohup sleep 100 & exit 3"
        )
        assert (ran.return_code, ran.stderr) == (3, ""), ran


class Editor(BaseAgent):
    """Writes what `version` says into VERSION, by a command and by an upload."""

    def __init__(self, *args, version: int = 2, broken: str = "", **kwargs) -> None:
        super().__init__(*args, **kwargs)
        self._target, self._broken = version, broken

    @staticmethod
    def name() -> str:
        return "editor"

    def version(self) -> str:
        return "1.0"

    async def setup(self, environment: BaseEnvironment) -> None:
        if self._broken == "setup":
            ran = await environment.exec("apt-get install -y no-such-package", user="root")
            raise RuntimeError(f"install failed ({ran.return_code})")
        await environment.exec("mkdir -p /installed-agent && echo hi > /installed-agent/x")

    async def run(
        self, instruction: str, environment: BaseEnvironment, context: AgentContext
    ) -> None:
        if self._broken == "run":
            raise RuntimeError("lost its way")
        seen = await environment.exec("cat VERSION; echo aside >&2")
        assert (seen.stdout, seen.stderr) == ("1\n", "aside\n"), seen
        file = self.logs_dir / "new-version"
        file.write_text(f"{self._target}\n")
        where = (await environment.exec("pwd")).stdout.strip()
        await environment.upload_file(file, f"{where}/VERSION")
        context.cost_usd, context.n_input_tokens, context.n_output_tokens = 0.25, 100, 20
        trajectory = {
            "schema_version": "ATIF-v1.7",
            "agent": {"name": "editor", "version": "1.0"},
            "steps": [
                {"step_id": 1, "source": "user", "message": instruction},
                {
                    "step_id": 2,
                    "source": "agent",
                    "message": "I write the version.",
                    "tool_calls": [
                        {"tool_call_id": "1", "function_name": "write", "arguments": {"to": 2}}
                    ],
                    "observation": {"results": [{"source_call_id": "1", "content": "written"}]},
                },
            ],
        }
        Path(self.logs_dir, "trajectory.json").write_text(json.dumps(trajectory))
