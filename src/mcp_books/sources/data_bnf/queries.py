"""The two queries this archive is sent.

The text search stands in a subquery, the triple that binds its text before it, the class after it:
the public endpoint abandons the other order. Pages are cut over distinct works, by a unique key.
"""

from __future__ import annotations

from typing import Literal

from mcp_books.sources._sparql import literal

from . import ark

__all__ = ["COPIES", "VOCABULARIES", "WINDOW", "Matched", "record", "search"]

WINDOW = 400
"""Matches of the text index that are looked through."""

COPIES = 200
"""Digitised copies of one work that are read; beyond, they are counted."""

Matched = Literal["dcterms:title", "rdfs:label"]
"""The text searched: titles (of works and of editions), or labels (works alone)."""

VOCABULARIES = {
    "bibo": "http://purl.org/ontology/bibo/",
    "bio": "http://vocab.org/bio/0.1/",
    "bnf-onto": "http://data.bnf.fr/ontology/bnf-onto/",
    "bnfroles": "http://data.bnf.fr/vocabulary/roles/",
    "dcterms": "http://purl.org/dc/terms/",
    "foaf": "http://xmlns.com/foaf/0.1/",
    "frbr": "http://rdvocab.info/uri/schema/FRBRentitiesRDA/",
    "isni": "http://isni.org/ontology#",
    "marcrel": "http://id.loc.gov/vocabulary/relators/",
    "owl": "http://www.w3.org/2002/07/owl#",
    "rdac": "http://rdaregistry.info/Elements/c/#",
    "rdae": "http://rdvocab.info/Elements/",
    "rdag2": "http://rdvocab.info/ElementsGr2/",
    "rdam": "http://rdaregistry.info/Elements/m/#",
    "rdarel": "http://rdvocab.info/RDARelationshipsWEMI/",
    "rdaw": "http://rdaregistry.info/Elements/w/#",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "skos": "http://www.w3.org/2004/02/skos/core#",
}

_PREFIXES = "".join(f"PREFIX {name}: <{vocabulary}>\n" for name, vocabulary in VOCABULARIES.items())


def search(argument: str, matched: Matched, *, limit: int, offset: int) -> str:
    """Return the query for `limit` works from `offset`, their columns, and the window's counts.

    The first row holds the counts: `matches` in the window (`WINDOW`: it is full), `works` among
    them. A work takes one row for each combination of its titles, dates and creators.
    """
    return f"""{_PREFIXES}
SELECT ?matches ?works ?work ?title ?label ?date ?creator ?name WHERE {{
  {{
    SELECT (COUNT(DISTINCT ?match) AS ?matches) (COUNT(DISTINCT ?counted) AS ?works) WHERE {{
      {_window("?match", argument, matched)}
      OPTIONAL {{ ?match a frbr:Work . BIND(?match AS ?counted) }}
    }}
  }} UNION {{
    {{
      SELECT DISTINCT ?work WHERE {{
        {_window("?work", argument, matched)}
        ?work a frbr:Work .
      }} ORDER BY ?work LIMIT {limit} OFFSET {offset}
    }}
    OPTIONAL {{ ?work dcterms:title ?title }}
    OPTIONAL {{ ?work rdfs:label ?label }}
    OPTIONAL {{ ?work dcterms:date ?date }}
    OPTIONAL {{ ?work dcterms:creator ?creator . OPTIONAL {{ ?creator foaf:name ?name }} }}
  }}
}} ORDER BY ?work ?title ?label ?date ?creator ?name"""


def record(reference: str) -> str:
    """Return the query for everything stated of one record, a row a statement, by `part`."""
    about, heading = f"<{ark.about(reference)}>", f"<{ark.iri(reference)}>"
    return f"""{_PREFIXES}
SELECT ?part ?about ?field ?value ?name ?date WHERE {{
  {{
    {about} ?field ?value . FILTER(?field != rdaw:P10078)
    BIND("entity" AS ?part)
    OPTIONAL {{ ?value foaf:name|skos:prefLabel ?name }}
  }} UNION {{
    {heading} ?field ?value .
    BIND("heading" AS ?part)
  }} UNION {{
    {about} rdarel:expressionManifested ?about . ?about ?field ?value .
    BIND("expression" AS ?part)
    OPTIONAL {{ ?value foaf:name|skos:prefLabel ?name }}
  }} UNION {{
    {about} rdarel:workManifested ?about . ?about dcterms:title ?value .
    BIND("work" AS ?part)
    OPTIONAL {{ ?about rdfs:label ?name }}
  }} UNION {{
    SELECT ("editions" AS ?part) (COUNT(DISTINCT ?edition) AS ?value) WHERE {{
      ?edition rdarel:workManifested {about} .
    }}
  }} UNION {{
    SELECT ("copies" AS ?part) (COUNT(DISTINCT ?copy) AS ?value) WHERE {{
      ?edition rdarel:workManifested {about} ; ?kind ?copy .
      FILTER(?kind IN (rdarel:electronicReproduction, rdam:P30016, bnf-onto:OCR))
    }}
  }} UNION {{
    {{
      SELECT DISTINCT ?about ?field ?value WHERE {{
        ?about rdarel:workManifested {about} ; ?field ?value .
        FILTER(?field IN (rdarel:electronicReproduction, rdam:P30016, bnf-onto:OCR))
      }} ORDER BY ?about ?value ?field LIMIT {COPIES}
    }}
    BIND("copy" AS ?part)
    OPTIONAL {{ ?about dcterms:title ?name }}
    OPTIONAL {{ ?about dcterms:date ?date }}
  }}
}} ORDER BY ?part ?about ?value ?field ?name ?date"""


def _window(subject: str, argument: str, matched: Matched) -> str:
    return (
        f"{{ SELECT DISTINCT {subject} WHERE {{ {subject} {matched} ?text . "
        f"?text bif:contains {literal(argument)} . }} LIMIT {WINDOW} }}"
    )
