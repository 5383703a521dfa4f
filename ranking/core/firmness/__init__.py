"""How firm a ranking is: what it would be without some of the judgments."""
