"""clock: says when a deadline of a match has passed, and who stays away. It never judges: `game` does.

Owns:    the stream TIMERS: one armed timer for each running deadline, kept by the broker.
Listens: the stream GAMES and the due timers of TIMERS, each through its durable consumer ``clock``.
Accepts: nothing.
Sends:   ``claim_flag``, ``report_absent`` and ``report_present`` on ``cmd.clock.game.<match>``.

``domain`` says what is armed and what an answer means, ``handlers`` turns commits into timers and due timers
into claims, ``claims`` sends those until they are judged, ``rearming`` arms all anew where the broker's clock
may have been set, ``absence`` watches the presence of players and reports it. Late, early and double timers
are harmless: a claim is judged by recorded times.
"""
