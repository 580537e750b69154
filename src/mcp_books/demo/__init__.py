"""Archives on 127.0.0.1 with invented records, for a first look and for tests."""
