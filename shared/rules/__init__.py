"""The games, one folder each; ``registry`` finds them. A game's name occurs only in its folder, tests and docs."""
