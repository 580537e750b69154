"""Invented records that show each shape the catalogue has. Not one of them is the BnF's."""

from __future__ import annotations

from collections.abc import Mapping

from .turtle import STORE, Catalogue, about, cb, digitised, iri, temporary, text

__all__ = ["graphs"]

ISO639 = "http://id.loc.gov/vocabulary/iso639-2/"

POET = cb(90000101)
NAMESAKE = cb(90000102)
TRANSLATOR = cb(90000103)
SOCIETY = cb(90000104)
NOVELIST = cb(90000105)
WINDS = cb(90000106)

POEMS = cb(90001001)
READING = temporary("reading")
JOURNEY = temporary("journey")
SIGNAL = cb(90001002)
LEAGUES = cb(90001003)
SUMMER = cb(90001004)
WRETCHED = cb(90001005)
COMPLETE = cb(90001006)
QUOTED = cb(90001007)
CYRILLIC = cb(90001008)
DREAM = cb(90001009)
ARABIC = cb(90001010)
LETTER = cb(90001011)
UNTITLED = cb(90001012)
REVIEW = cb(90001013)
MANY_COPIES = cb(90001014)

FIRST_EDITION = cb(90002001)
SECOND_EDITION = cb(90002002)

SERIES = tuple(cb(90010000 + number) for number in range(1, 431))
TIDES = tuple(cb(90030000 + number) for number in range(1, 4))


def graphs() -> Mapping[str, str]:
    """Return graph names with their Turtle. The second repeats a record of the first."""
    return {
        "http://data.bnf.fr/test/editions-first": _floods().turtle(),
        "http://data.bnf.fr/test/records": _records().turtle(),
        "http://data.bnf.fr/test/again": _repeated().turtle(),
    }


def _records() -> Catalogue:
    catalogue = Catalogue()
    _agents(catalogue)
    _poems(catalogue)
    _works(catalogue)
    _editions(catalogue)
    for number, reference in enumerate(SERIES, start=1):
        catalogue.work(
            reference,
            [f"Annales du brouillard, tome {number}"],
            [NOVELIST],
            dates=[str(1500 + number)],
        )
        if number % 2 == 0:
            catalogue.edition(
                90020000 + number, [reference], f"Annales du brouillard, tome {number} : roman"
            )
    for number, reference in enumerate(TIDES, start=1):
        catalogue.work(reference, [f"Almanach des marées, cahier {number}"], [NOVELIST])
    return catalogue


def _floods() -> Catalogue:
    """Editions enough to fill the window before any work of the same words."""
    catalogue = Catalogue()
    for number in range(1, 411):
        catalogue.edition(90040000 + number, [], f"Almanach des marées pour l'année {number}")
        catalogue.edition(90050000 + number, [], f"Catalogue des phares, feuille {number}")
    return catalogue


def _repeated() -> Catalogue:
    catalogue = Catalogue()
    _poems(catalogue)
    return catalogue


def _agents(catalogue: Catalogue) -> None:
    catalogue.agent(
        90000101,
        "Hélène Vauquelin",
        more={
            "bio:birth": text("1871-03-04"),
            "bio:death": text("1933-09-19"),
            "bnf-onto:firstYear": "1871",
            "rdag2:placeOfBirth": text("Availles-en-Brume (Vienne)"),
            "rdag2:biographicalInformation": text("Poète. - Membre d'une société savante"),
            "rdag2:languageOfThePerson": [iri(f"{ISO639}fre"), iri(f"{ISO639}oci")],
            "rdag2:fieldOfActivityOfThePerson": [
                iri("http://dewey.info/class/800/"),
                text("Littératures"),
            ],
            "owl:sameAs": [
                iri("http://viaf.org/viaf/900000101"),
                iri(f"{STORE}ark:/12148/{POET}#foaf:Person"),
            ],
            "foaf:depiction": [iri(digitised(1) + ".thumbnail"), iri(digitised(2) + ".thumbnail")],
        },
    )
    catalogue.agent(90000102, "Hélène Vauquelin")
    catalogue.agent(90000103, "Jean-Luc d'Aubrac", more={"bio:birth": text("1965")})
    catalogue.agent(
        90000104,
        "Société des amis d'Hélène Vauquelin",
        "Organization",
        {
            "rdag2:dateOfEstablishment": iri("http://data.bnf.fr/date/1934/"),
            "rdag2:dateOfTermination": iri("http://data.bnf.fr/date/1951/"),
            "rdag2:corporateHistory": text("Fondée par ses lecteurs", "fr"),
        },
    )
    catalogue.agent(90000105, "Bertrand Kesteloot")
    catalogue.add(
        iri(f"{STORE}ark:/12148/{WINDS}"),
        {
            "a": "skos:Concept",
            "skos:prefLabel": text("Vents dans la littérature", "fr"),
            "skos:note": text("Voir aussi : Tempêtes", "fr"),
        },
    )


def _poems(catalogue: Catalogue) -> None:
    catalogue.work(
        POEMS,
        ["Le vent de novembre", "Vent de novembre. Poèmes"],
        [POET, TRANSLATOR],
        dates=["1902"],
        more={
            "dcterms:language": [iri(f"{ISO639}fre"), iri(f"{ISO639}eng")],
            "rdae:formOfWork": [
                iri(f"{STORE}vocabulary/work-form/te"),
                iri(f"{STORE}vocabulary/work-form/poesi"),
            ],
            "bnf-onto:subject": text("Littératures"),
            "dcterms:subject": [
                iri("http://dewey.info/class/841/"),
                iri(f"{STORE}ark:/12148/{WINDS}"),
            ],
            "foaf:depiction": iri(digitised(3) + ".thumbnail"),
        },
    )
    catalogue.heading(POEMS, "Le vent de novembre", skos_altLabel=text("November wind", "fr"))


def _works(catalogue: Catalogue) -> None:
    catalogue.work(READING, ["Lire « Le vent de novembre »"], [NOVELIST], dates=["1994"])
    catalogue.work(JOURNEY, ["Notes de voyage au vent de novembre"], [POET], dates=["1931"])
    catalogue.work(SIGNAL, ["S.O.S. dans la brume"], [NOVELIST], dates=["18..", "[s.d.]"])
    catalogue.work(LEAGUES, ["20.000 pas sous la neige"], [NOVELIST], dates=["1900-1930"])
    catalogue.work(SUMMER, ["L'été à Charleville-Mézières"], [POET], dates=["1908"])
    catalogue.work(WRETCHED, ["Les misérables de la vallée"], [TRANSLATOR])
    catalogue.work(COMPLETE, ["Œuvres complètes d'une inconnue"])
    catalogue.work(QUOTED, ['Le "livre" \\ noir, n º 5'], [POET, NAMESAKE], dates=["2001"])
    catalogue.work(CYRILLIC, ["Письмо и память"], language="ru")
    catalogue.work(DREAM, ["源氏の夢"], language="ja")
    catalogue.work(ARABIC, ["Dīwān Muʿawwaḍ"])
    catalogue.work(LETTER, ["C"], dates=["1999", "2000"])
    catalogue.work(UNTITLED, ["Aujourd’hui, demain"], [SOCIETY], label=False)
    catalogue.work(
        REVIEW,
        ["Bulletin des amis du vent"],
        more={
            "dcterms:description": text("In-8"),
            "rdae:note": text("La couverture porte : Bulletin", "fr"),
            "dcterms:publisher": text("Grenoble : [s.n.] , [19..-19..]"),
        },
    )
    catalogue.work(MANY_COPIES, ["Cent albums numérisés"])


def _editions(catalogue: Catalogue) -> None:
    catalogue.edition(
        90002001,
        [POEMS],
        "Le vent de novembre",
        {
            "dcterms:date": text("1902"),
            "dcterms:publisher": text("Poitiers : Vve Delarue , 1902"),
            "dcterms:description": text("1 vol. (94 p.)"),
            "rdae:note": text("Tiré à 300 exemplaires"),
            "rdarel:electronicReproduction": [iri(digitised(11)), iri(digitised(12))],
            "rdarel:expressionManifested": iri(f"{STORE}ark:/12148/{FIRST_EDITION}#Expression"),
            "rdfs:seeAlso": iri(f"http://catalogue.bnf.fr/ark:/12148/{FIRST_EDITION}"),
        },
    )
    catalogue.add(
        iri(f"{STORE}ark:/12148/{FIRST_EDITION}#Expression"),
        {
            "a": "frbr:Expression",
            "dcterms:language": iri(f"{ISO639}fre"),
            "bnfroles:r70": about(POET),
            "marcrel:aut": about(POET),
            "dcterms:contributor": [about(POET), about(TRANSLATOR)],
        },
    )
    catalogue.edition(
        90002002,
        [POEMS, SUMMER],
        "Le vent de novembre ; suivi de L'été",
        {
            "dcterms:date": text("cop. 1978"),
            "bnf-onto:isbn": text("2-87042-000-1"),
            "rdarel:electronicReproduction": iri(digitised(13).replace("https", "http")),
            "bnf-onto:OCR": iri(digitised(13) + ".texteBrut"),
        },
    )
    catalogue.edition(90002003, [POEMS], "November wind", {"dcterms:date": text("[s.d.]")})
    for number in range(1, 111):
        catalogue.edition(
            90003000 + number,
            [MANY_COPIES],
            f"Album {number}",
            {
                "rdarel:electronicReproduction": iri(digitised(1000 + number)),
                "bnf-onto:OCR": iri(digitised(1000 + number) + ".texteBrut"),
            },
        )
