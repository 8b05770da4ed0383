"""ghost: plays the seats at which our computer sits.

Owns:    nothing; what it remembers of running matches may be lost, the log has it all.
Listens: the stream GAMES through the durable consumer ``ghost``.
Accepts: nothing.
Sends:   players' commands on ``cmd.ghost.game.<match>``, like anybody else. It never doubles, beavers,
         resigns or offers a draw; it answers offers, of draws too, and claims draws. For a person it does so
         only while he is absent or has been thrown out, and never presses Next for him.

``domain`` says which seats it plays and what is asked of them, ``players`` choose, ``thinking`` lets them
choose in threads and in time, with ``engines`` where any are installed (``settings``), ``handlers`` reads
commits and sends commands.
"""
