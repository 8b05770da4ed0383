"""game: decides every command of every match.

Owns:    ``game.*`` (stream GAMES) and the bucket SECRETS. The only writer of match logs.
         The pulse of all its instances (stream PULSE), which measures our own outages.
Listens: ``cmd.<sender>.game.<match>``, queue group ``game``; ``time.gateway.game``, every instance.
Accepts: ``create_match`` from the lobby, players' commands from the gateway, the ghost's for seats that the
         computer plays, ``claim_flag``, ``report_absent`` and ``report_present`` from the clock service;
         the question what time it is from gateways.
Sends:   ``raise_stake`` to the ledger, before somebody doubles, takes or beavers for money. What game stored
         is handed on by the broker as ``live.game.<match>.<n>``.
"""
