import pytest
from greeter import Greeter, Refused, join


def test_names_are_joined_as_the_language_does() -> None:
    assert join(["Ada", "Grace", "Joan"], "nl") == "Ada, Grace en Joan"


def test_an_unknown_language_is_refused_and_not_counted() -> None:
    greeter = Greeter()
    with pytest.raises(Refused):
        greeter.greet(["Ada"], "la")
    assert greeter.count == 0
