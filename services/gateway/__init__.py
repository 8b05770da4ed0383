"""The gateway: the one door for client apps.

Owns: nothing durable; its folds of watched matches, open sockets and token buckets may all be lost.
Listens: HTTP (REST, WebSocket, server-sent events) on ``KRONIKA_HOST``:``KRONIKA_PORT``; the live hints of
the matches that are watched.
Accepts: clients' requests and frames, described at ``/v1/openapi.json`` and ``/v1/asyncapi.json``.
Sends: commands to ``game``, and twice a second the question what time it is there; questions to ``lobby`` and
``ledger``; to clients views of their own seat, never the raw events of a running match.
"""
