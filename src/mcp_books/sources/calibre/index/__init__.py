"""The text index of the libraries: SQLite FTS5 in the user's data folder."""
