"""The reader's own Calibre libraries: a catalogue read from metadata.db, and a text index."""
