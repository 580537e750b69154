"""The invented records of the demonstration: no library holds one of them."""

from __future__ import annotations

from .statements import Statement, Store, cb, digitised, link, number, text

__all__ = ["records"]

_NOVELIST = cb(90100001)
_POET = cb(90100002)
_TRANSLATOR = cb(90100003)
_SOCIETY = cb(90100004)
_WHALES = cb(90100005)

_FRENCH = link("http://id.loc.gov/vocabulary/iso639-2/fre")


def records(base: str) -> tuple[Statement, ...]:
    """Return every statement, with addresses under `base`."""
    store = Store(base)
    _agents(store)
    _white_whale(store)
    _works(store)
    return tuple(store.statements)


def _agents(store: Store) -> None:
    store.agent(
        _NOVELIST,
        "Adèle Marchefer (démonstration)",
        "foaf:Person",
        {
            "bio:birth": [text("1861-05-02")],
            "bio:death": [text("1934-11-30")],
            "bnf-onto:firstYear": [number(1861)],
            "rdag2:placeOfBirth": [text("Port-Brume")],
            "rdag2:biographicalInformation": [text("Romancière. - Gardienne de phare")],
            "rdag2:languageOfThePerson": [_FRENCH],
            "foaf:depiction": [link(f"{store.base}/gallica/portrait.thumbnail")],
        },
    )
    store.agent(
        _POET, "Yves Kermadec (démonstration)", "foaf:Person", {"bio:birth": [text("1880")]}
    )
    store.agent(_TRANSLATOR, "Lise d'Aubrac (démonstration)", "foaf:Person", {})
    store.agent(
        _SOCIETY,
        "Société des amis du vent (démonstration)",
        "foaf:Organization",
        {
            "rdag2:dateOfEstablishment": [link("http://data.bnf.fr/date/1912/")],
            "rdag2:corporateHistory": [text("Fondée par des lecteurs d'almanachs", "fr")],
        },
    )
    store.heading(_WHALES, "Baleines dans la littérature (démonstration)")


def _white_whale(store: Store) -> None:
    work = store.work(
        cb(90101001),
        [
            "Moby Dick ou Le cachalot blanc (démonstration)",
            "Le cachalot blanc, conte de mer (démonstration)",
        ],
        [_NOVELIST, _TRANSLATOR],
        "1891",
        {
            "dcterms:language": [_FRENCH],
            "rdae:formOfWork": [link("http://data.bnf.fr/vocabulary/work-form/te")],
            "bnf-onto:subject": [text("Littératures")],
            "dcterms:subject": [
                link("http://data.bnf.fr/ark:/12148/" + _WHALES),
                link("http://dewey.info/class/843/"),
            ],
            "dcterms:description": [text("Conte écrit pour la démonstration de mcp-books.", "fr")],
            "foaf:depiction": [link(f"{store.base}/gallica/cachalot.thumbnail")],
        },
    )
    first = store.edition(
        cb(90102001),
        [work],
        "Moby Dick ou Le cachalot blanc (démonstration)",
        "1891",
        [digitised(1), digitised(2)],
        {
            "dcterms:publisher": [text("Port-Brume : Veuve Corlay , 1891")],
            "dcterms:description": [text("1 vol. (212 p.)")],
            "rdae:note": [text("Tiré à 300 exemplaires")],
        },
    )
    store.expression(first, [_NOVELIST], [_TRANSLATOR])
    store.edition(
        cb(90102002),
        [work],
        "Moby Dick illustré (démonstration)",
        "cop. 1978",
        [digitised(3)],
        {"bnf-onto:isbn": [text("2-00-000000-7")]},
    )
    store.edition(cb(90102003), [work], "Le cachalot blanc (démonstration)", "[s.d.]")
    store.work(
        "temp-work/0123456789abcdef0123456789abcdef",
        ["Lire Moby Dick au phare (démonstration)"],
        [_POET],
        "1994",
    )


def _works(store: Store) -> None:
    store.work(
        "temp-work/fedcba9876543210fedcba9876543210",
        ["Notes de voyage au vent d'octobre (démonstration)"],
        [_POET],
        "1931",
    )
    store.work(cb(90101002), ["L'été des baleines (démonstration)"], [_POET], "1908")
    store.work(cb(90101003), ["S.O.S. dans la brume (démonstration)"], [_NOVELIST], "1912")
    store.work(cb(90101004), ["20.000 pas sous la neige (démonstration)"], [_NOVELIST], "1900-1930")
    store.work(cb(90101005), ["Œuvres d'une inconnue (démonstration)"])
    store.work(cb(90101006), ["Les misérables de la vallée (démonstration)"], [_TRANSLATOR], "18..")
    store.work(cb(90101007), ["Aujourd'hui, demain (démonstration)"], [_SOCIETY], "1950")
    store.work(
        cb(90101008),
        ["Petite histoire de la neige (démonstration)", "Histoire de la neige (démonstration)"],
        [_POET, _TRANSLATOR],
        "1923",
    )
    store.work(
        cb(90101009),
        ["Bulletin des amis du vent (démonstration)"],
        [_SOCIETY],
        values={"rdae:note": [text("La couverture porte : Le vent", "fr")]},
    )
    tides = store.work(cb(90101010), ["Almanach des marées (démonstration)"], [_SOCIETY], "1913")
    store.edition(
        cb(90102004),
        [tides],
        "Almanach des marées pour 1913 (démonstration)",
        "1913",
        [digitised(4)],
    )
    store.work(cb(90101011), ["Le jardin du gardien de phare (démonstration)"], [_NOVELIST], "1899")
    store.work(cb(90101012), ["La baleine et la lune (démonstration)"], [_NOVELIST], "1896")
