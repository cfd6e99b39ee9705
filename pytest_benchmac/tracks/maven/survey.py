"""What the rules compare: a source tree's files, Java sources and project files, as data."""

from __future__ import annotations

from xml.etree.ElementTree import tostring

from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.model.base import ForeignText, Model, Sha256
from pytest_benchmac.sandbox.base import Copied
from pytest_benchmac.tracks.maven.javafiles import JavaFile, read_java
from pytest_benchmac.tracks.maven.pom import MavenProject, read_pom, read_project

#: First bytes of what no source tree needs to hold to be built: classes, archives, programs.
_BINARY_STARTS = (b"\xca\xfe\xba\xbe", b"PK\x03\x04", b"\x1f\x8b", b"\x7fELF", b"MZ", b"\xfe\xed")
_BINARY_ENDINGS = (".class", ".jar", ".war", ".ear", ".zip", ".so", ".dll", ".dylib", ".exe")
_START_BYTES = 4
#: What ends an archive's directory, followed by a comment of at most 64 KiB.
_DIRECTORY_END = b"PK\x05\x06"
_DIRECTORY_BYTES = 22 + 65_535


class Survey(Model):
    """One tree, before anything of it has run."""

    #: Path -> digest of its content; without `.git`.
    files: dict[ForeignText, Sha256]
    #: Files that are not looked at, since their names are no text or act on terminals.
    left_out: tuple[ForeignText, ...] = ()
    #: Files that hold compiled code or an archive.
    binaries: tuple[ForeignText, ...]
    java: dict[ForeignText, JavaFile]
    #: Path -> why a source or project file could not be read.
    unread: dict[ForeignText, ForeignText]
    #: Text of every project file of the build, by path.
    poms: dict[ForeignText, ForeignText]
    #: Project files of the modules that a build without profiles has.
    reactor: tuple[ForeignText, ...]

    def project(self) -> MavenProject:
        """The project files, read again."""
        return MavenProject(
            {path: read_pom(path, text.encode()) for path, text in self.poms.items()},
            self.reactor,
            {path: why for path, why in self.unread.items() if path.endswith(".xml")},
        )


def survey_of(tree: SourceTree, copied: Copied) -> tuple[Survey, MavenProject]:
    """Read a tree as it was copied.

    Raises:
        InfrastructureError: the Java parser cannot be started.
    """
    digests = {str(file.path): file.sha256 for file in copied.files}
    files = {path: digest for path, digest in digests.items() if not path.startswith(".git/")}
    java = read_java(tree)
    project = read_project(tree)
    return (
        Survey(
            files=files,
            left_out=copied.left_out,
            binaries=tuple(path for path in files if _is_binary(tree, path)),
            java=dict(java.files),
            unread={**java.unread, **project.unread},
            # Without declaration, whatever the file's encoding was.
            poms={
                path: tostring(pom.root, encoding="unicode") for path, pom in project.poms.items()
            },
            reactor=project.reactor,
        ),
        project,
    )


def _is_binary(tree: SourceTree, path: str) -> bool:
    if path.lower().endswith(_BINARY_ENDINGS):
        return True
    # A file of a tree that the harness has copied: there, regular, and its own.
    with (tree.root / path).open("rb") as file:
        if file.read(_START_BYTES).startswith(_BINARY_STARTS):
            return True
        # An archive is read from its end, and may have any text in front of it.
        file.seek(max(0, tree.files.get(path, 0) - _DIRECTORY_BYTES))
        return _DIRECTORY_END in file.read(_DIRECTORY_BYTES)
