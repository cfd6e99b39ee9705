"""What a request can be answered with when it does not succeed."""

from dataclasses import dataclass, field


@dataclass
class ApiError(Exception):
    status: int
    code: str
    message: str
    fields: list[tuple[str, str]] = field(default_factory=list)
    headers: dict[str, str] = field(default_factory=dict)

    def body(self) -> dict[str, object]:
        error: dict[str, object] = {"code": self.code, "message": self.message}
        if self.fields:
            error["fields"] = [{"field": name, "message": text} for name, text in self.fields]
        return {"error": error}


def not_found(what: str, key: str) -> ApiError:
    return ApiError(404, "not-found", f"there is no {what} {key}")


def conflict(code: str, message: str) -> ApiError:
    return ApiError(409, code, message)


def invalid(fields: list[tuple[str, str]]) -> ApiError:
    count = len(fields)
    return ApiError(
        422, "validation", f"{count} field{'' if count == 1 else 's'} cannot be accepted", fields
    )
