"""Project files: inheritance, properties, imports and modules, as far as versions need them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.foreign.xmlfiles import XmlError
from pytest_benchmac.tracks.maven.pom import MavenProject, read_pom, read_project
from pytest_benchmac.tracks.maven.versions import major_of, paper_versions, shortfalls
from pytest_benchmac.tracks.maven.versions_resolved import Required, VersionResolver, interpolate


def pom(artifact: str, inner: str = "", *, parent: str = "", version: str = "1") -> str:
    own = "" if parent else f"<groupId>g</groupId><version>{version}</version>"
    return (
        '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>'
        f"{parent}{own}<artifactId>{artifact}</artifactId>{inner}</project>"
    )


def parent(artifact: str, version: str = "1", *, group: str = "g", path: str | None = None) -> str:
    relative = "" if path is None else f"<relativePath>{path}</relativePath>"
    return (
        f"<parent><groupId>{group}</groupId><artifactId>{artifact}</artifactId>"
        f"<version>{version}</version>{relative}</parent>"
    )


def dependency(key: str, version: str = "", more: str = "") -> str:
    group, _, artifact = key.partition(":")
    told = f"<version>{version}</version>" if version else ""
    return (
        f"<dependency><groupId>{group}</groupId><artifactId>{artifact}</artifactId>{told}{more}"
        "</dependency>"
    )


def managed(*dependencies: str) -> str:
    inner = "".join(dependencies)
    return f"<dependencyManagement><dependencies>{inner}</dependencies></dependencyManagement>"


def dependencies(*each: str) -> str:
    return f"<dependencies>{''.join(each)}</dependencies>"


BOM = "<type>pom</type><scope>import</scope>"


def project(folder: Path, files: Mapping[str, str]) -> MavenProject:
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return read_project(SourceTree.scan(folder))


def required(found: MavenProject, **outer: str) -> set[tuple[str, str, str | None]]:
    """What a project requires, where `outer` are the files of a repository by artifact."""

    def lookup(group: str, artifact: str, version: str) -> bytes | None:
        text = outer.get(f"{artifact}_{version}".replace("-", "_").replace(".", "_"))
        return text.encode() if text else None

    return {(r.kind, r.key, r.version) for r in VersionResolver(found, lookup).required()}


def test_modules_are_found_in_profiles_too_and_the_reactor_has_the_others(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        {
            "pom.xml": pom(
                "root",
                "<modules><module>a</module><module>b/own.xml</module><module>../out</module>"
                "<module>gone</module></modules><profiles><profile><id>p</id><modules>"
                "<module>c</module></modules></profile></profiles>",
            ),
            "a/pom.xml": pom("a", "<modules><module>deep</module></modules>"),
            "a/deep/pom.xml": pom("deep", "<modules><module>../..</module></modules>"),
            "b/own.xml": pom("b"),
            "c/pom.xml": pom("c"),
            "unrelated/pom.xml": pom("unrelated"),
        },
    )
    assert found.reactor == ("pom.xml", "a/pom.xml", "b/own.xml", "a/deep/pom.xml")
    assert found.poms.keys() == {*found.reactor, "c/pom.xml"}
    assert found.unread.keys() == {"../out", "gone/pom.xml"}


def test_versions_come_from_properties_of_all_ancestors(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        {
            "pom.xml": pom(
                "root",
                "<modules><module>a</module></modules>"
                "<properties><x.version>1.5</x.version><y>${x.version}.2</y></properties>"
                + dependencies(dependency("g:all", "${project.version}")),
                version="7",
            ),
            "a/pom.xml": pom(
                "a",
                "<properties><x.version>2.5</x.version></properties>"
                + dependencies(
                    dependency("o:x", "${x.version}"),
                    dependency("o:y", "${y}"),
                    dependency("o:unknown", "${env.X}"),
                    dependency("${project.groupId}:sibling", "${project.parent.version}"),
                ),
                parent=parent("root", "7"),
            ),
        },
    )
    assert required(found) == {
        ("dependency", "g:all", "7"),
        ("dependency", "o:x", "2.5"),
        ("dependency", "o:y", "2.5.2"),
        ("dependency", "o:unknown", None),
        ("dependency", "g:sibling", "7"),
    }


def test_managed_versions_are_inherited_and_imported_the_nearest_first(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        {
            "pom.xml": pom(
                "root",
                "<modules><module>a</module></modules>"
                + managed(dependency("o:x", "1"), dependency("o:bom", "3.1", BOM)),
            ),
            "a/pom.xml": pom(
                "a",
                managed(dependency("o:x", "2"))
                + dependencies(
                    dependency("o:x"), dependency("o:y"), dependency("o:z"), dependency("o:none")
                ),
                parent=parent("root"),
            ),
        },
    )
    bom = pom(
        "bom",
        "<properties><y>5</y></properties>"
        + managed(
            dependency("o:x", "9"), dependency("o:y", "${y}.1"), dependency("o:deep", "1", BOM)
        ),
    )
    deep = pom("deep", managed(dependency("o:y", "4"), dependency("o:z", "${project.version}")))
    assert required(found, bom_3_1=bom, deep_1=deep) == {
        ("managed", "o:x", "1"),
        ("managed", "o:x", "2"),
        ("managed", "o:bom", "3.1"),
        ("dependency", "o:x", "2"),
        ("dependency", "o:y", "5.1"),
        ("dependency", "o:z", "1"),
        ("dependency", "o:none", None),
    }


def test_an_outer_parent_is_required_and_gives_versions(tmp_path: Path) -> None:
    spring = "org.springframework.boot"
    found = project(
        tmp_path,
        {
            "pom.xml": pom(
                "app",
                dependencies(dependency("o:x")),
                parent=parent("spring-boot-starter-parent", "2.7.1", group=spring, path=""),
            )
        },
    )
    outer = pom("spring-boot-starter-parent", parent=parent("dependencies", "2.7.1"))
    grand = pom("dependencies", managed(dependency("o:x", "6")))
    assert required(found, spring_boot_starter_parent_2_7_1=outer, dependencies_2_7_1=grand) == {
        ("parent", f"{spring}:spring-boot-starter-parent", "2.7.1"),
        ("dependency", "o:x", "6"),
    }


def test_a_file_at_the_relative_path_is_the_parent_only_if_it_is_that_artifact(
    tmp_path: Path,
) -> None:
    found = project(
        tmp_path,
        {
            "pom.xml": pom("root", "<modules><module>a</module></modules>"),
            "a/pom.xml": pom("a", parent=parent("elsewhere", "3")),
        },
    )
    assert required(found) == {("parent", "g:elsewhere", "3")}


def test_debians_name_for_a_version_is_looked_up(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        {
            "pom.xml": pom(
                "app",
                managed(dependency("o:bom", "1", BOM))
                + dependencies(dependency("o:x"), dependency("o:y", "debian")),
            )
        },
    )
    bom = pom("bom", managed(dependency("o:x", "debian"), dependency("o:y", "debian")))
    x = pom("x", "<properties><debian.originalVersion>5.9</debian.originalVersion></properties>")
    assert required(found, bom_1=bom, x_debian=x) == {
        ("managed", "o:bom", "1"),
        ("dependency", "o:x", "5.9"),
        # Written by the project itself it is no version.
        ("dependency", "o:y", "debian"),
    }


def test_ancestors_and_properties_that_go_in_circles_end(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        {
            "pom.xml": pom(
                "a",
                "<modules><module>b</module></modules>"
                "<properties><p>${q}</p><q>x${p}</q></properties>"
                + dependencies(dependency("o:x", "${p}")),
                parent=parent("b", path="b/pom.xml"),
            ),
            "b/pom.xml": pom("b", parent=parent("a", path="../pom.xml")),
        },
    )
    assert ("dependency", "o:x", None) in required(found)


def test_imports_that_import_each_other_are_read_once(tmp_path: Path) -> None:
    """Twenty files that import each other: in all orders that would be more than 10^18 imports."""
    names = [f"bom{number}" for number in range(20)]
    everything = managed(*(dependency(f"o:{name}", "1", BOM) for name in names))
    outer = {f"{name}_1": pom(name, everything) for name in names}
    found = project(tmp_path, {"pom.xml": pom("app", everything + dependencies(dependency("o:x")))})
    assert ("dependency", "o:x", None) in required(found, **outer)


@given(content=st.binary(max_size=300) | st.text(max_size=300).map(str.encode))
def test_any_bytes_are_a_project_file_or_refused(content: bytes) -> None:
    for text in (content, b"<project>" + content + b"</project>"):
        try:
            read_pom("pom.xml", text)
        except XmlError:
            continue


def test_dependencies_of_profiles_count(tmp_path: Path) -> None:
    inner = dependencies(dependency("o:x", "1")) + managed(dependency("o:y", "2"))
    found = project(
        tmp_path,
        {"pom.xml": pom("a", f"<profiles><profile><id>p</id>{inner}</profile></profiles>")},
    )
    assert required(found) == {("dependency", "o:x", "1"), ("managed", "o:y", "2")}


@pytest.mark.parametrize("text", ["<settings/>", "", "<project>"])
def test_what_is_no_project_file_is_refused(text: str) -> None:
    with pytest.raises(XmlError):
        read_pom("pom.xml", text.encode())


def test_interpolation_stays_bounded() -> None:
    assert interpolate("${a}", {"a": "${b}${b}", "b": "x"}) == "xx"
    assert interpolate("${a}", {"a": "${a}${a}"}) is None
    assert interpolate("", {}) is None


@pytest.mark.parametrize(
    ("version", "major"),
    [
        ("4.13.2", 4),
        ("33.0.0-jre", 33),
        ("5", 5),
        ("2024.0.1", 2024),
        ("v3.1", 3),
        ("1-SNAPSHOT", 1),
        ("[2,3)", None),
        ("LATEST", None),
        ("debian", None),
        ("${x}", None),
        ("", None),
    ],
)
def test_majors(version: str, major: int | None) -> None:
    assert major_of(version) == major


def test_the_papers_fifty_are_shipped_and_have_majors() -> None:
    versions = paper_versions()
    assert len(versions) == 50
    assert versions["org.springframework.boot:spring-boot-starter-parent"] == "3.3.4"
    assert all(major_of(version) is not None for version in versions.values())


def test_shortfalls_compare_majors_only() -> None:
    found = [
        Required("dependency", "junit:junit", "4.11", "pom.xml"),
        Required("dependency", "commons-io:commons-io", "1.4", "pom.xml"),
        Required("managed", "org.mockito:mockito-core", None, "a/pom.xml"),
        Required("dependency", "o:other", "0.1", "pom.xml"),
    ]
    assert [
        (e["artifact"], e["version"], e["file"]) for e in shortfalls(found, paper_versions())
    ] == [
        ("commons-io:commons-io", "1.4", "pom.xml"),
        ("org.mockito:mockito-core", "unresolved", "a/pom.xml"),
    ]


def test_project_files_without_end_are_not_read(tmp_path: Path) -> None:
    modules = "".join(f"<module>m{number}</module>" for number in range(20))
    long = f"<!-- {'x' * 1_000_000} -->"
    files = {f"m{number}/pom.xml": pom(f"m{number}", long) for number in range(20)}
    read = project(tmp_path, {"pom.xml": pom("root", f"<modules>{modules}</modules>"), **files})
    assert len(read.poms) == 17
    assert set(read.unread) == {"m16/pom.xml", "m17/pom.xml", "m18/pom.xml", "m19/pom.xml"}
