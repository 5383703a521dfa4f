"""The documentation, as its tests read it: pages, blocks of code, words in code style, and links."""
