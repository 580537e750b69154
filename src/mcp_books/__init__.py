"""One question, several archives: search inside books, newspapers and catalogues at once."""
