"""rating: what finished matches change: ratings by the house's table or the formula of FIBS, and experience.

Owns:    the stream RATINGS, one entry per finished match at ``rating.<pool>.<match>``.
Listens: the stream GAMES through the durable consumer ``rating``.
Accepts: ``cmd.lobby.rating.*`` and ``cmd.gateway.rating.*`` (``shared.wire.rating``).
Sends:   nothing.

``domain`` says what a match was worth, ``standing`` folds the log, ``projection`` keeps leaderboards and
histories in Redis, from where they may vanish at any time; numbers that decide come from the fold alone.
"""
