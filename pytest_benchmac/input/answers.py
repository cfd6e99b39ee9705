"""Answers as submissions: the patch that creates the file which an answer fills."""

from __future__ import annotations


def patch_of_answer(file: str, content: bytes) -> bytes:
    """The patch that creates a file with this content; empty where the content is.

    Args:
        file: its path in the project: letters, digits and `._/-` alone.
        content: any bytes; what has no line feed at its end has none in the file either.
    """
    if not content:
        return b""
    lines = content.split(b"\n")
    ended = lines[-1] == b""
    if ended:
        del lines[-1]
    name = file.encode()
    head = b"diff --git a/%b b/%b\nnew file mode 100644\n--- /dev/null\n+++ b/%b\n" % ((name,) * 3)
    body = b"".join(b"+" + line + b"\n" for line in lines)
    tail = b"" if ended else b"\\ No newline at end of file\n"
    return head + b"@@ -0,0 +1,%d @@\n" % len(lines) + body + tail
