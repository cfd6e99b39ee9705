"""What a stage saw, as records have it."""

from pydantic import Field

from pytest_benchmac.tracks.protocol import Observations


class Seen(Observations):
    """A stage's own."""

    number: int = 0
    #: For later stages.
    folder: object = Field(default=None, exclude=True)


def test_a_record_has_neither_what_is_for_later_stages_nor_an_empty_limit() -> None:
    assert Seen(number=3, folder=object()).recorded() == {"number": 3}
    assert Observations().recorded() == {}


def test_what_is_too_large_to_be_read_leaves_nothing_else() -> None:
    assert Seen(number=3, copy_limit="more than 3 files").recorded() == {
        "copy_limit": "more than 3 files"
    }
    assert Seen.model_validate(Seen(number=3).recorded()) == Seen(number=3)
