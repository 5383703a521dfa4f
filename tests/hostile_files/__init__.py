"""Files that somebody made to harm: each of them at each door by which files come in, in bounded memory and time."""
