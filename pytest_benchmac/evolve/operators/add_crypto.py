"""A2 AddCrypto: values are told by what cryptography knows of its hashes, keys and comparisons."""

from __future__ import annotations

from typing import ClassVar

from pytest_benchmac.evolve.operators.detours import Kind
from pytest_benchmac.evolve.operators.library import Draft, Idiom, LibraryOperator

_PRIMITIVES = "cryptography.hazmat.primitives"
#: Bytes of a digest.
_DIGESTS = {"SHA1": 20, "SHA224": 28, "SHA256": 32, "SHA384": 48, "SHA512": 64, "SHA3_256": 32}
_PADDED = ("PKCS7", "ANSIX923")


def _digest_size(draft: Draft) -> str:
    one, two = draft.random.sample(sorted(_DIGESTS), 2)
    draft.need(_DIGESTS[one] != _DIGESTS[two])
    hashes = draft.use(_PRIMITIVES, "hashes")
    return (
        f"({hashes}.{one}() if {draft.inner} else {hashes}.{two}()).digest_size\n== {_DIGESTS[one]}"
    )


def _same_bytes(draft: Draft) -> str:
    equal = draft.use(f"{_PRIMITIVES}.constant_time", "bytes_eq")
    hashes = draft.use(_PRIMITIVES, "hashes")
    one, two = draft.random.sample(["SHA224", "SHA256", "SHA384", "SHA512"], 2)
    name = one.lower()
    chosen = f"{hashes}.{one}() if {draft.inner} else {hashes}.{two}()"
    return f'{equal}(\n({chosen}).name.encode(),\nb"{name}"\n)'


def _difference(draft: Draft) -> str:
    one, two = draft.random.sample(sorted(_DIGESTS), 2)
    hashes = draft.use(_PRIMITIVES, "hashes")
    rest = draft.number - (_DIGESTS[one] - _DIGESTS[two])
    # Large numbers would be said beside the way, not by it.
    draft.need(abs(rest) < 100)
    tail = f" {'+' if rest > 0 else '-'} {abs(rest)}" if rest else ""
    return f"{hashes}.{one}().digest_size\n- {hashes}.{two}().digest_size{tail}"


def _extendable(draft: Draft) -> str:
    draft.need(draft.number > 0)
    hashes = draft.use(_PRIMITIVES, "hashes")
    name = draft.random.choice(["SHAKE128", "SHAKE256"])
    size = draft.random.choice(sorted(_DIGESTS))
    rest = draft.number - _DIGESTS[size]
    draft.need(-_DIGESTS[size] < rest < 100)
    tail = f" {'+' if rest > 0 else '-'} {abs(rest)}" if rest else ""
    return f"{hashes}.{name}(\n{hashes}.{size}().digest_size{tail}\n).digest_size"


def _counted(draft: Draft) -> str:
    hashes = draft.use(_PRIMITIVES, "hashes")
    name = draft.random.choice(["SHAKE128", "SHAKE256"])
    return f"{hashes}.{name}({draft.inner} + 1).digest_size - 1"


def _wrapped(draft: Draft) -> str:
    # Surrogates, which have no bytes, are not printable.
    draft.need(draft.text.isprintable())
    draft.builtin("bytes")
    module = f"{_PRIMITIVES}.keywrap"
    wrap, unwrap = (draft.use(module, f"aes_key_{way}_with_padding") for way in ("wrap", "unwrap"))
    size = draft.random.choice([16, 24, 32])
    return (
        f"{unwrap}(\nbytes({size}),\n{wrap}(bytes({size}), {draft.receiver}.encode())\n).decode()"
    )


class AddCrypto(LibraryOperator):
    """Conditions choose between hashes, numbers are their sizes, texts are wrapped as keys are."""

    code: ClassVar[str] = "A2"
    name: ClassVar[str] = "AddCrypto"
    idioms = (
        Idiom(Kind.CONDITION, _digest_size),
        Idiom(Kind.CONDITION, _same_bytes),
        Idiom(Kind.NUMBER, _difference),
        Idiom(Kind.NUMBER, _extendable),
        Idiom(Kind.COUNTER, _counted),
        Idiom(Kind.TEXT, _wrapped, loops=0),
    )
