"""The lobby: accounts, sessions and tables; it turns a full table into a match.

Owns: the logs ``table.*`` and ``player.*``, the buckets KEYS, NAMES and REFRESH (there also
what quick pairing aims at).
Listens: ``live.table.>``, what other instances stored, for the list of open tables.
Accepts: ``cmd.gateway.lobby.*`` with ``shared.wire.lobby.LobbyRequest``.
Sends: ``cmd.lobby.game.<match>`` with CreateMatch, once per full table; ``cmd.lobby.rating.*`` and
``cmd.lobby.ledger.*`` for what it needs to know before.
"""
