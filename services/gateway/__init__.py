"""The gateway: the one door for client apps.

Owns: nothing durable; it holds folds of watched matches, open sockets and token buckets, all of which may be lost.
Listens: HTTP (REST, WebSocket, server-sent events) on ``KRONIKA_HOST``:``KRONIKA_PORT``; ``live.game.<match>.*``.
Accepts: clients' requests and frames (``docs`` at ``/v1/openapi.json`` and ``/v1/asyncapi.json``).
Sends: commands to ``cmd.gateway.game.<match>`` and questions to ``cmd.gateway.lobby.<aggregate>``; to clients views
of their own seat, never raw events of a running match.
"""
