"""Lock files that do not say which registry this machine uses."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection

#: `<registry>/<name>/-/<file>`, in npm's JSON and in yarn's own form.
_ADDRESS = re.compile(
    rb'(?P<key>"?resolved"?:?\s+")(?P<registry>https?://[^"\s]*?/)'
    rb'(?P<tarball>(?:@[^/"\s]+/)?[^/"\s]+/-/[^"\s]+")'
)


def portable_lock(lock: bytes, base: bytes | None, registries: Collection[str]) -> bytes:
    """Replace the addresses of this machine's registries by those that the base's lock file has.

    A package manager notes where it got each package from, which holds on this machine only. The
    rest of the file stays as it is, addresses of other places too. Where the base has no
    addresses, npm's entries lose theirs.

    Args:
        lock: the lock file as the SUT left it.
        base: the same file of the base, None if there is none.
        registries: URLs of the registry that the sandbox used, each with a slash at its end.
    """
    ours = {registry.encode() for registry in registries}
    known = Counter(match["registry"] for match in _ADDRESS.finditer(base or b""))
    if known:
        theirs = known.most_common(1)[0][0]
        return _ADDRESS.sub(
            lambda match: (
                match["key"] + theirs + match["tarball"] if match["registry"] in ours else match[0]
            ),
            lock,
        )
    any_of_ours = b"|".join(map(re.escape, sorted(ours)))
    address = rb'"resolved":\s*"(?:' + any_of_ours + rb')[^"\n]*"'
    # The line with the comma after it, or with the one before it where it is an entry's last.
    return re.sub(
        rb"^[ \t]*" + address + rb",\r?\n|,\s*" + address + rb"(?=\s*\})", b"", lock, flags=re.M
    )
