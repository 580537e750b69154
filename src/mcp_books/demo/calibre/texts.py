"""The books of the demonstration's library: openings of texts that are long in the public domain.

Herman Melville died in 1891, Jules Verne in 1905; the Zhuangzi is older than two thousand years.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["MOBY_DICK", "VINGT_MILLE_LIEUES", "ZHUANGZI", "Chapter", "Page"]


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a PDF: the number printed at its foot, its words, the chapter it opens."""

    folio: str
    paragraphs: tuple[str, ...]
    opens: str | None = None


@dataclass(frozen=True, slots=True)
class Chapter:
    """One chapter of an EPUB, by printed page; the label None is a text without pages."""

    title: str
    part: str
    pages: tuple[tuple[str | None, tuple[str, ...]], ...]


def _paragraphs(text: str) -> tuple[str, ...]:
    """Return the paragraphs of `text`; Chinese is joined without a space."""
    return tuple(
        re.sub(r"(?<=[\u3000-\uffef])\n|\n(?=[\u3000-\uffef])", "", one).replace("\n", " ")
        for one in text.strip().split("\n\n")
    )


MOBY_DICK = (
    Page(
        "i",
        _paragraphs("""
ETYMOLOGY.

(Supplied by a Late Consumptive Usher to a Grammar School.)

The pale Usher—threadbare in coat, heart, body, and brain; I see him now. He was ever dusting
his old lexicons and grammars, with a queer handkerchief, mockingly embellished with all the gay
flags of all the known nations of the world. He loved to dust his old grammars; it somehow
mildly reminded him of his mortality.
"""),
        opens="Etymology",
    ),
    Page(
        "ii",
        _paragraphs("""
EXTRACTS.

(Supplied by a Sub-Sub-Librarian.)

It will be seen that this mere painstaking burrower and grub-worm of a poor devil of a Sub-Sub
appears to have gone through the long Vaticans and street-stalls of the earth, picking up
whatever random allusions to whales he could anyways find in any book whatsoever, sacred or
profane. Therefore you must not, in every case at least, take the higgledy-piggledy whale
statements, however authentic, in these extracts, for veritable gospel cetology.
"""),
        opens="Extracts",
    ),
    Page(
        "1",
        _paragraphs("""
CHAPTER 1. Loomings.

Call me Ishmael. Some years ago—never mind how long precisely—having little or no money in my
purse, and nothing particular to interest me on shore, I thought I would sail about a little and
see the watery part of the world. It is a way I have of driving off the spleen and regulating
the circulation. Whenever I find myself growing grim about the mouth; whenever it is a damp,
drizzly November in my soul; whenever I find myself involuntarily pausing before coffin
warehouses, and bringing up the rear of every funeral I meet; and especially whenever my hypos
get such an upper hand of me, that it requires a strong moral principle to prevent me from
deliberately stepping into the street, and methodically knocking people’s hats off—then, I
account it high time to get to sea as soon as I can. This is my substitute for pistol and ball.
With a philosophical flourish Cato throws himself upon his sword; I quietly take to the ship.
"""),
        opens="Chapter 1. Loomings",
    ),
    Page(
        "2",
        _paragraphs("""
There now is your insular city of the Manhattoes, belted round by wharves as Indian isles by
coral reefs—commerce surrounds it with her surf. Right and left, the streets take you waterward.
Its extreme downtown is the battery, where that noble mole is washed by waves, and cooled by
breezes, which a few hours previous were out of sight of land. Look at the crowds of
water-gazers there.

Chief among these motives was the overwhelming idea of the great whale himself. Such a
portentous and mysterious monster roused all my curiosity.
"""),
    ),
)

VINGT_MILLE_LIEUES = (
    Chapter(
        "Chapitre I. Un écueil fuyant",
        "Première partie",
        (
            (
                "1",
                _paragraphs("""
L’année 1866 fut marquée par un événement bizarre, un phénomène inexpliqué et inexplicable que
personne n’a sans doute oublié. Sans parler des rumeurs qui agitaient les populations des ports
et surexcitaient l’esprit public à l’intérieur des continents, les gens de mer furent
particulièrement émus.
"""),
            ),
            (
                "2",
                _paragraphs("""
En effet, depuis quelque temps, plusieurs navires s’étaient rencontrés sur mer avec « une chose
énorme », un objet long, fusiforme, parfois phosphorescent, infiniment plus vaste et plus rapide
qu’une baleine.

Les faits relatifs à cette apparition, consignés aux divers livres de bord, s’accordaient assez
exactement sur la structure de l’objet ou de l’être en question, la vitesse inouïe de ses
mouvements, la puissance surprenante de sa locomotion, la vie particulière dont il semblait
doué.
"""),
            ),
            (
                "3",
                _paragraphs("""
Si c’était un cétacé, il surpassait en volume tous ceux que la science avait classés
jusqu’alors.
"""),
            ),
        ),
    ),
)

ZHUANGZI = (
    Chapter(
        "逍遙遊",
        "內篇",
        (
            (
                None,
                _paragraphs("""
北冥有魚，其名為鯤。鯤之大，不知其幾千里也。化而為鳥，其名為鵬。鵬之背，不知其幾千里也；怒
而飛，其翼若垂天之雲。是鳥也，海運則將徙於南冥。南冥者，天池也。
"""),
            ),
        ),
    ),
    Chapter(
        "齊物論",
        "內篇",
        (
            (
                None,
                _paragraphs("""
昔者莊周夢為胡蝶，栩栩然胡蝶也，自喻適志與！不知周也。俄然覺，則蘧蘧然周也。不知周之夢為胡
蝶與，胡蝶之夢為周與？
"""),
            ),
        ),
    ),
)
