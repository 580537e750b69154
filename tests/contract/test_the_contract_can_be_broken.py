"""Each rule that asks nothing of an archive refuses a source that breaks it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from mcp_books.identifiers import Claim
from mcp_books.sources.base import Profile, Source
from mcp_books.testing import DeclaredContract
from tests.fakes import PROFILE, FakeArchive

CONTRACT = DeclaredContract()

Rule = Callable[[Source], None]


class Claimant(FakeArchive):
    """Claims by a function of the text, under a profile with changes."""

    def __init__(
        self, read: Callable[[str], Claim | None] | None = None, **changes: object
    ) -> None:
        super().__init__()
        self.profile: Profile = replace(PROFILE, **changes)  # type: ignore[arg-type]
        self._read = read

    def claim(self, text: str) -> Claim | None:
        return super().claim(text) if self._read is None else self._read(text)


def exactly(text: str) -> Claim | None:
    return Claim(text, exact=True)


def without_its_first_letter(text: str) -> Claim | None:
    return Claim(text[1:], exact=True) if text else None


def breaking(text: str) -> Claim | None:
    raise ValueError(text[:10])


NEIGHBOUR = FakeArchive("beta", examples=("https://beta.example/1",))


def beside(rule: Callable[[Source, Sequence[Source]], None]) -> Rule:
    return lambda source: rule(source, [NEIGHBOUR])


BROKEN: Sequence[tuple[Rule, Source]] = [
    (
        CONTRACT.test_a_question_is_answered_or_has_its_reason,
        Claimant(cannot={"get_item": "it does not read records"}),
    ),
    (
        CONTRACT.test_what_is_declared_of_its_texts_agrees_with_what_it_answers,
        Claimant(corpus=None),
    ),
    (CONTRACT.test_a_narrowing_is_honoured_or_has_its_reason, Claimant(honours=frozenset())),
    (
        CONTRACT.test_a_narrowing_is_honoured_or_has_its_reason,
        Claimant(cannot_filter={"sort": "it has one order"}),
    ),
    (
        CONTRACT.test_the_default_media_type_is_one_of_its_own,
        Claimant(default_media_type="photos"),
    ),
    (CONTRACT.test_the_default_media_type_is_one_of_its_own, Claimant(media_types=("Texts",))),
    (CONTRACT.test_what_every_answer_repeats_is_short, Claimant(year_means="y" * 81)),
    (CONTRACT.test_what_a_reader_sees_of_it_is_one_line_of_text, Claimant(name="two\nlines")),
    (beside(CONTRACT.test_its_id_can_stand_in_front_of_an_identifier), Claimant(id="beta")),
    (beside(CONTRACT.test_its_id_can_stand_in_front_of_an_identifier), Claimant(id="a b")),
    (CONTRACT.test_it_has_examples_and_claims_them, Claimant(examples=())),
    (CONTRACT.test_it_has_examples_and_claims_them, Claimant(lambda text: None)),
    (
        beside(CONTRACT.test_no_neighbour_claims_its_examples_exactly),
        Claimant(examples=("exact-beta-1",)),
    ),
    (beside(CONTRACT.test_it_claims_no_example_of_a_neighbour_exactly), Claimant(exactly)),
    (
        beside(CONTRACT.test_an_identifier_survives_being_printed_and_routed),
        Claimant(without_its_first_letter),
    ),
    (CONTRACT.test_an_address_on_a_host_that_is_not_its_own_is_refused, Claimant(exactly)),
    (CONTRACT.test_a_hostile_string_is_claimed_safely_or_refused, Claimant(exactly)),
]


@pytest.mark.parametrize(("rule", "source"), BROKEN)
def test_a_rule_refuses_a_source_that_breaks_it(rule: Rule, source: Source) -> None:
    with pytest.raises(AssertionError):
        rule(source)


def test_a_claim_that_raises_anything_but_invalid_input_breaks_the_contract() -> None:
    with pytest.raises(ValueError, match=r"^$"):
        CONTRACT.test_a_hostile_string_is_claimed_safely_or_refused(Claimant(breaking))
