"""The rules of the answer contract, each with the id that the tests proving it carry.

A test says `@pytest.mark.proves("6.5")`; test_requirements.py fails for a rule that no test proves
and for a mark that names no rule.
"""

from __future__ import annotations

RULES: dict[str, str] = {
    "5.1": "Entries are told apart by status; an absent archive carries its reason, nothing else.",
    "5.2": "A failed archive carries its stage, its error and its queries.",
    "5.3": "An entry carries what this call asked: catalogue fields only in search_items, text "
    "fields only in search_inside.",
    "5.4": "sent_as stands where what was sent differs from the wording.",
    "5.5": "Rows that could not be read and rows set aside are counted apart, always as numbers.",
    "6.1": "All archives are asked at the same time; one archive's wordings go one after another.",
    "6.2": "Rows interleave in each archive's own order; nothing spans archives.",
    "6.3": "Passages come before page openings; order claims no step that changed nothing.",
    "6.4": "Records are deduplicated on the id, hits on the id with the place.",
    "6.5": "A failed archive is failed, one that cannot answer is absent; neither is missing.",
    "6.6": "A narrowing that cannot be applied is not sent but named; reversed years are refused.",
    "6.7": "media_type is never translated: an archive without it is absent with its own names.",
    "6.8": "A count is of the wording that produced it; with further rows, more is null.",
    "6.9": "A call ends by its deadline with what has arrived; retries and wordings need room.",
    "6.10": "An unreadable row is counted; all rows unreadable is a parse_failure.",
    "6.11": "What one archive cannot take is its own invalid_input; refused only if all refuse.",
    "6.12": "Every archive failed is an answer that says nothing was established; only absences is "
    "an answer; calibre with none configured is refused with the reason.",
    "7.1": "The words as asked come first.",
    "7.2": "A quoted phrase is also asked without its quotation marks.",
    "7.3": "NFC, if that differs.",
    "7.4": "Names marked by capitals inside the query, up to 3 then 2 words, runs whole.",
    "7.5": "Else the 3, then 2 longest words, in written order.",
    "7.6": "Diacritics removed from Latin letters only.",
    "7.7": "Two words of 3 letters or more are run together, also without diacritics.",
    "7.8": "At most 3 wordings an archive; a derived one only while too little is found.",
    "7.9": "Beyond page 1, or without fan_out, only the words as asked.",
    "7.10": "A failure stops the ladder; rows already found stand.",
    "7.11": "Every wording is listed, sent or withheld, with its count or the reason.",
    "7.12": "Characters that are no letter, digit, mark, punctuation or space are listed.",
    "8.1": "Ids are prefixed case-insensitively and routed to their archive.",
    "8.2": "An address is routed by host and path; a foreign one is refused.",
    "8.3": "One exact claim wins, and id_read_as says how the string was read.",
    "8.4": "Several loose claims are refused with the spellings; none points at the searches.",
    "8.5": "Control and bidirectional characters, dot segments and a prefixed address are refused.",
    "9.1": "Every failure is one of six codes and names the archive and what to do next.",
    "9.2": "A Retry-After beyond 30 s is reported at once and kept by every process.",
    "9.3": "Refusals and absences are never retried; a time-out at most once.",
    "9.4": "A fault of our own in one archive's code is its parse_failure; the others answer.",
    "9.5": "A setting out of its bounds given in code raises; in the environment it is reported.",
    "10.1": "Every hit or row in the text carries its id, address and what identifies it.",
    "10.2": "Every archive's status, count, more, dropped filters and error stand in the text.",
    "10.3": "Whole rows are left out when room ends, counted, never cut.",
    "10.4": "Qualifications are never dropped.",
    "10.5": "Null: applies and unknown; left out: does not apply.",
    "10.6": "The same rows in both forms, within 20,000 and 40,000 characters.",
    "10.7": "Each fact once, in few words, within the measured budgets.",
    "10.8": "Foreign text is defused in the text block and kept as published in the payload.",
    "10.9": "The last line credits each contributing archive in its own terms.",
}
