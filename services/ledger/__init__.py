"""ledger: keeps the money that matches are played for.

Owns:    ``ledger.<account>.<n>`` (stream LEDGER): a log for each player, for the escrow of each match, and
         for what the mint has given to a player and the house has got from a match.
Listens: ``cmd.<sender>.ledger.<key>``, queue group ``ledger``; the streams GAMES and LEDGER through the
         durable consumers ``ledger``.
Accepts: from the lobby ``hold``, ``release`` and ``afford``; from game ``raise_stake``; from the gateway
         ``get_wallet``.
Sends:   nothing.

``domain`` says what an account's log means and what a transfer makes of it, ``bank`` reads and appends,
``escrow`` holds, raises and settles the stakes of a match, ``handlers`` answers requests and follows matches.
"""
