"""The text of one book file, in stretches that can be cited. One module a format."""
