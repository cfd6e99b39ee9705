"""What every record is made of: a frozen, closed model, and the types of its fields."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any, ClassVar

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    StringConstraints,
    model_serializer,
)
from pydantic_core import PydanticSerializationError

#: true, false, a share in [0, 1], or None where the evaluation did not reach it.
MetricValue = bool | Annotated[float, Field(ge=0, le=1)] | None
#: What a track learns once per instance from the untouched base; JSON-serialisable.
BaselineFacts = dict[str, Any]
# The descriptions below are shown to people whose file does not match the pattern.
InstanceId = Annotated[
    str,
    StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$"),
    Field(description="1 to 128 letters, digits, `.`, `_` or `-`, a letter or digit first"),
]
#: Any character is allowed in a SUT's name; `encode_name` makes a file name of it.
SutName = Annotated[
    str, StringConstraints(min_length=1, max_length=512), Field(description="1 to 512 characters")
]
#: Which try of the SUT at the instance, counted from 1.
AttemptNumber = Annotated[int, Field(ge=1, le=999_999_999)]
Sha256 = Annotated[
    str,
    StringConstraints(pattern=r"^[0-9a-f]{64}$"),
    Field(description="64 lower-case hexadecimal digits"),
]
Commit = Annotated[
    str,
    StringConstraints(pattern=r"^[0-9a-f]{40}$"),
    Field(description="40 lower-case hexadecimal digits"),
]
#: An image reference pinned by digest, as `docker pull` takes it.
ImageReference = Annotated[
    str,
    StringConstraints(pattern=r"^[^\s@]+@sha256:[0-9a-f]{64}$"),
    Field(description="an image pinned by digest: `name@sha256:` and 64 hexadecimal digits"),
]
Seconds = Annotated[float, Field(gt=0, le=86_400)]


def well_formed(value: Any) -> Any:
    r"""Escape lone surrogates, which UTF-8 and so JSON and terminals cannot hold.

    A sandbox can make some appear anywhere: `"\ud800"` in a JSON file, or a file name in Latin-1.
    """
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, dict):
        return {well_formed(key): well_formed(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [well_formed(item) for item in value]
    return value


#: Text that comes out of a sandbox or a patch.
ForeignText = Annotated[str, AfterValidator(well_formed)]


class Model(BaseModel):
    """Frozen, and closed: an unknown key is an error, not a surprise."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        allow_inf_nan=False,
        # Records are written with every key, and readers may rely on that.
        json_schema_serialization_defaults_required=True,
    )

    def model_dump(self, **keywords: Any) -> dict[str, Any]:
        """As pydantic's; an interrupt stays one."""
        with _interrupts_stay():
            return super().model_dump(**keywords)

    def model_dump_json(self, **keywords: Any) -> str:
        """As pydantic's; an interrupt stays one."""
        with _interrupts_stay():
            return super().model_dump_json(**keywords)


class SparseModel(Model):
    """A model some of whose fields are written only where they are not their defaults."""

    sparse: ClassVar[frozenset[str]]

    @model_serializer(mode="wrap")
    def _without_defaults(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        fields: dict[str, Any] = write(self)
        known = type(self).model_fields
        return {
            name: value
            for name, value in fields.items()
            if name not in self.sparse or getattr(self, name) != known[name].default
        }


@contextmanager
def _interrupts_stay() -> Iterator[None]:
    """Pydantic makes an error of its own of what is raised in a serializer, interrupts too."""
    try:
        yield
    except PydanticSerializationError as error:
        if "KeyboardInterrupt" in str(error):
            raise KeyboardInterrupt from error
        raise
