"""The invented newspapers and records of the Library's stand-in, as its documents show them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

__all__ = [
    "Data",
    "Row",
    "held",
    "issue_document",
    "page_document",
    "page_row",
    "page_text",
    "record_document",
    "record_row",
    "title_item",
]

_DESCRIBED = 900
"""How much of a page's text stands in its row."""

Row = dict[str, Any]
Data = Mapping[str, Any]


def page_row(page: Data, base: str) -> Row:
    """Return a page as a row of a list shows it."""
    paper = _paper(page["lccn"])
    address = f"{base}/resource/{_issue(page)}/?sp={page['seq']}"
    day = _spoken(page["date"])
    return {
        "access_restricted": False,
        "contributor": [paper["library"].lower()],
        "date": page["date"],
        "dates": [page["date"]],
        "description": [re.sub(r"[^\w\s]", "", page_text(page))[:_DESCRIBED]],
        "digitized": True,
        "id": address,
        "language": [paper["language"]],
        "number_edition": [str(page["edition"])],
        "number_lccn": [page["lccn"]],
        "number_page": [f"{page['seq']:010}"],
        "online_format": ["image", "pdf", "online text"],
        "original_format": ["newspaper"],
        "partof_title": [_filed_title(paper)],
        "shelf_id": str(page["seq"]),
        "title": f"Image {page['seq']} of {_shown_title(paper)}, {day}",
        "type": ["segment"],
        "url": address,
    }


def record_row(record: Data, base: str) -> Row:
    """Return a catalogue row: index terms in lower case, the source's own block inside."""
    address = f"{base}/item/{record['id']}/"
    row: Row = {
        "access_restricted": record.get("access_restricted", False),
        "date": record["date"],
        "description": record.get("description") or [" ".join(record["notes"])],
        "digitized": record["digitized"],
        "id": address,
        "item": _inner(record),
        "language": [record["language"]],
        "online_format": ["image"] if record["digitized"] else [],
        "original_format": [record["format"]],
        "shelf_id": address,
        "title": record["title"],
        "url": address,
    }
    if record["contributors"]:
        row["contributor"] = [name.lower() for name in record["contributors"]]
    return row


def _inner(record: Data) -> Row:
    inner = {
        "call_number": record["call_number"],
        "contributors": record["contributors"],
        "created_published": record["created_published"],
        "date": record.get("nested_date", record["created_published"][0]),
        "repository": record.get("repository", []),
        "title": record["title"],
    }
    if "nested_rights" in record:
        inner["rights"] = record["nested_rights"]
    return inner


def record_document(record: Data, base: str) -> Row:
    """Return what `/item/` answers for a catalogue record."""
    item = record_row(record, base) | {
        "contributor_names": record["contributors"],
        "created_published": record["created_published"],
        "call_number": record["call_number"],
        "notes": record["notes"],
        "partof": [{"count": 12, "title": "demonstration records", "url": f"{base}/search/"}],
        "repository": record.get("repository", []),
        "rights": record.get("collection_rights", []),
        "rights_advisory": record.get("rights_advisory", []),
        "access_advisory": record.get("access_advisory", []),
        "subject_headings": record["subjects"],
        "summary": record["summary"],
    }
    resources = []
    if record["digitized"]:
        stem = f"{base}/storage-services/{record['resource']}"
        resources.append(
            {
                "caption": "",
                "files": [
                    [
                        {"mimetype": "image/jpeg", "url": f"{stem}/{n}.jpg"},
                        {"mimetype": "image/jp2", "url": f"{stem}/{n}.jp2"},
                    ]
                    for n in (1, 2)
                ],
                "image": f"{stem}/1.jpg",
                "pdf": f"{stem}.pdf",
                "url": f"{base}/resource/{record['resource']}/",
            }
        )
    return {"item": item, "resources": resources, "cite_this": _cited(record["title"])}


def title_item(paper: Data, base: str) -> Row:
    """Return the record of a whole newspaper."""
    address = f"{base}/item/{paper['lccn']}/"
    return {
        "created_published": [f"{paper['town']}, {paper['abbr']} : Demonstration Press"],
        "date": paper["span"][:4],
        "dates_of_publication": paper["span"],
        "description": [f"{paper['frequency'].title()} Invented for a demonstration."],
        "digitized": True,
        "essay": paper["essay"],
        "id": address,
        "language": [paper["language"]],
        "notes": [paper["frequency"].title(), "Invented for a demonstration."],
        "number_lccn": [paper["lccn"]],
        "original_format": ["newspaper"],
        "partof_title": [_filed_title(paper)],
        "publication_frequency": [paper["frequency"]],
        "rights": held()["newspaper_rights"],
        "title": f"{_shown_title(paper)} {paper['span']}",
        "url": address,
    }


def _issue_item(paper: Data, issue: str, base: str) -> Row:
    date = issue.split("/")[1]
    return title_item(paper, base) | {
        "contributor": [paper["library"].lower()],
        "date": date,
        "id": f"{base}/item/{issue}/",
        "title": f"{_shown_title(paper)}, {_spoken(date)}",
        "url": f"{base}/item/{issue}/",
    }


def issue_document(issue: str, base: str) -> Row | None:
    """Return what `/item/` answers for an issue: the files of every page, or None."""
    pages = [page for page in held()["pages"] if _issue(page) == issue]
    if not pages:
        return None
    listed: list[list[Row]] = [[] for _ in range(max(page["seq"] for page in pages))]
    for page in pages:
        listed[page["seq"] - 1] = _page_files(page, base)
    item = _issue_item(_paper(pages[0]["lccn"]), issue, base)
    resource = {"files": listed, "url": f"{base}/resource/{issue}/"}
    return {"item": item, "resources": [resource], "cite_this": _cited(item["title"])}


def page_document(issue: str, sequence: int, base: str) -> Row | None:
    """Return what `/resource/` answers for one page, or None."""
    for page in held()["pages"]:
        if _issue(page) == issue and page["seq"] == sequence:
            row = page_row(page, base)
            on_tile = _page_files(page, base)
            return {
                "item": _issue_item(_paper(page["lccn"]), issue, base),
                "resource": {
                    "fulltext_file": on_tile[2]["fulltext_service"],
                    "pdf": on_tile[1]["url"],
                    "url": row["url"],
                    "files": 1,
                },
                "page": on_tile,
                "segments": [row],
                "cite_this": _cited(row["title"]),
            }
    return None


def _page_files(page: Data, base: str) -> list[Row]:
    stem = f"{base}/storage-services/{_issue(page)}/{page['seq']:04}"
    text = f"{base}/text-services/word-coordinates-service?segment={_issue(page)}&full_text=1"
    return [
        {"mimetype": "image/jp2", "url": f"{stem}.jp2"},
        {"mimetype": "application/pdf", "url": f"{stem}.pdf"},
        {"mimetype": "text/plain", "use": "text", "fulltext_service": text},
    ]


def _cited(title: str) -> Row:
    return {"chicago": f"<cite>{title}</cite>. Demonstration."}


def page_text(page: Data) -> str:
    """Return the machine-read text of a page."""
    columns = held()["columns"]
    return " ".join(columns[part[1:]] if part.startswith("@") else part for part in page["parts"])


def _issue(page: Data) -> str:
    return f"{page['lccn']}/{page['date']}/ed-{page['edition']}"


def _paper(lccn: str) -> Data:
    found: Data = next(paper for paper in held()["newspapers"] if paper["lccn"] == lccn)
    return found


def _shown_title(paper: Data) -> str:
    return f"{paper['name']} ({paper['town']}, {paper['abbr']})"


def _filed_title(paper: Data) -> str:
    return f"{_shown_title(paper)} {paper['span']}".lower()


def _spoken(date: str) -> str:
    year, month, day = date.split("-")
    months = (
        *("January", "February", "March", "April", "May", "June", "July", "August"),
        *("September", "October", "November", "December"),
    )
    return f"{months[int(month) - 1]} {int(day)}, {year}"


@cache
def held() -> Data:
    """Return everything the stand-in holds."""
    text = files(__package__).joinpath("records/library_of_congress.json").read_text("utf-8")
    data: Data = json.loads(text)
    return data
