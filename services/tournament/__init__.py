"""tournament: knock-out, each against each, Swiss; any game or series, played in ordinary matches.

Owns:    the stream TOURNAMENTS, the logs ``tournament.<id>.<n>``.
Listens: the stream GAMES through the durable consumer ``tournament``, for matches that end.
Accepts: ``cmd.gateway.tournament.*`` (``shared.wire.tournament``).
Sends:   ``cmd.tournament.lobby.<table>``: what a wish for a table comes to, and tables with both seated.

``domain`` decides and folds, ``rounds`` with ``knockout``, ``round_robin`` and ``swiss`` pairs, ``standing``
counts, ``verdicts`` says what a match was worth; ``board`` knows all tournaments, ``office`` does what
players ask, ``handlers`` keeps rounds going.
"""
