"""From a recorded game between two without dice to the commands that play it again. Pure.

Everything is checked before anything is sent: the moves against the rules, the end against what the file says
of it. A resignation, a draw by agreement or a lost clock leaves no trace on the board; there the file is
believed.
"""

from typing import Any, Final

from services.cli.importing.planning.steps import Plan, PlannedGame, Step
from services.cli.importing.reading.boards import Ply, RecordedGame
from services.cli.importing.reading.file import RecordError
from shared.commands import AcceptDraw, ClaimDraw, Leave, OfferDraw, Play, PlayerCommand, Resign
from shared.events.match import Terms
from shared.problems import Refused
from shared.rules.protocol import PASS, Over, Players
from shared.rules.registry import rules

_SEATS: Final = 2
_TERMS: Final = Terms(cube=False)
_SAID: Final = ("", "resigned", "agreed")
_LEFT: Final = ("left", "absent", "abandoned", "forfeit")
"""These causes are played as they were; a lost clock, for one, cannot be: recorded matches have none."""


def plan(game: RecordedGame) -> Plan:
    """The commands that replay ``game``; raises ``RecordError`` with the line that stands in the way."""
    return _GamePlayer(game).plan()


class _GamePlayer:
    """Plays the game on the rules and writes down the commands."""

    def __init__(self, game: RecordedGame) -> None:
        self.game = game
        self.rules = rules(game.game)
        self.steps: list[Step] = []
        self.notes = list(game.notes)
        self.half_moves = 0
        self.moved: set[int] = set()
        try:
            self.position: Any = self.rules.setup(_SEATS, game.options, 0)
        except Refused as refused:
            raise self.fail(game.line, refused.problem.detail) from refused

    def fail(self, line: int, reason: str) -> RecordError:
        return RecordError(self.game.file, line, f"game {self.game.number}: {reason}")

    def plan(self) -> Plan:
        """The whole game; raises ``RecordError``."""
        for ply in self.game.plies:
            self._ply(ply)
        self._pass_if_forced()
        complete, winner = self._end()
        self._compare()
        score = (int(winner == 0), int(winner == 1))
        planned = PlannedGame(
            number=self.game.number,
            line=self.game.line,
            last_line=self.game.ending.line,
            steps=tuple(self.steps),
            plies=len(self.game.plies),
            winner=winner,
            points=sum(score),
            score=score,
        )
        return Plan(
            file=self.game.file,
            line=self.game.line,
            game=self.game.game,
            options=self.game.options,
            terms=_TERMS,
            games=(planned,),
            score=score,
            complete=complete,
            over=complete,
            leaves=None if complete else self.turn,
            position=self.rules.position(self.position),
            notes=tuple(self.notes),
        )

    @property
    def turn(self) -> int | None:
        """The seat to move; None after the end."""
        waiting = self.rules.waiting(self.position)
        return waiting.seats[0] if isinstance(waiting, Players) else None

    def _add(self, seat: int, command: PlayerCommand, line: int) -> None:
        self.steps.append(Step(seat, command, line))

    def _ply(self, ply: Ply) -> None:
        seat = self.turn
        if self._pass_if_forced():  # the server passes by itself; many files leave it out
            if ply.text == PASS and ply.seat in (None, seat):
                return
            seat = self.turn
        if seat is None:
            if ply.text == PASS:
                return  # some programs pass when all is over
            raise self.fail(ply.line, f"the game goes on with {ply.text} after its end")
        if ply.seat not in (None, seat):
            raise self.fail(ply.line, f"{ply.text} is written for the wrong side")
        try:
            move = self.rules.read(self.position, seat, ply.text)
        except Refused as refused:
            reason = refused.problem.detail or refused.problem.title
            raise self.fail(ply.line, f"move {self.half_moves + 1}, {ply.text}: {reason}") from refused
        self._add(seat, Play(move), ply.line)
        made = self.rules.half_moves(self.position, move)
        self.half_moves += made
        if made:
            self.moved.add(seat)
        self.position = self.rules.play(self.position, seat, move)

    def _pass_if_forced(self) -> bool:
        """Pass for a seat that cannot do anything else; whether that was so."""
        seat = self.turn
        if seat is None or self.rules.legal(self.position, seat) != (PASS,):
            return False
        self.position = self.rules.play(self.position, seat, PASS)
        return True

    def _end(self) -> tuple[bool, int | None]:
        """Whether the game has an end, and who has won it; the commands that end it are added."""
        ending, waiting = self.game.ending, self.rules.waiting(self.position)
        if isinstance(waiting, Over):
            winner = waiting.result.winner
            if ending.known and ending.winner != winner:
                reason = f"the file says that {self._said(ending.winner)}, but {self._said(winner)}"
                raise self.fail(ending.line, f"{reason} ({waiting.result.kind})")
            if not ending.known:
                self.notes.append("the file has no result that counts; told as the board decides")
            return True, winner
        if not ending.known:
            self.notes.append(
                "the file has no result that counts; who is to move leaves, which says nothing of the game"
            )
            return False, None
        cause = ending.cause.lower()
        if ending.winner is None:
            self._draw(ending.line)
        else:
            self._add(1 - ending.winner, Leave() if cause in _LEFT else Resign(), ending.line)
        if cause not in (*_SAID, *_LEFT):
            self.notes.append(f"line {ending.line}: ended by {ending.cause!r}, told as {self._instead()}")
        return True, ending.winner

    def _instead(self) -> str:
        """What is played in place of a cause that recorded matches do not have."""
        return "a draw" if self.game.ending.winner is None else "a resignation"

    def _said(self, winner: int | None) -> str:
        if winner is None:
            return "it is a draw"
        return f"{self.game.names[winner]} (who moved {('first', 'second')[winner]}) has won"

    def _draw(self, line: int) -> None:
        """A draw that is claimed where there is one to claim, else one that both agree on."""
        seat = self.turn
        if seat is None:
            return
        if self.rules.claim(self.position, seat, "") is not None:
            self._add(seat, ClaimDraw(), line)
            return
        if len(self.moved) < _SEATS:
            raise self.fail(line, "a draw is agreed on when both have moved, not before")
        self._add(1 - seat, OfferDraw(), line)
        self._add(seat, AcceptDraw(), line)

    def _compare(self) -> None:
        """The last position and the score that are written must be those of the play."""
        line = self.game.ending.line
        position = self.rules.position(self.position)
        if self.game.final and not _same(self.game.final, position):
            raise self.fail(
                line, f"the last position is written as {self.game.final!r}, but it is {position!r}"
            )
        if self.game.score is None:
            return
        score: list[int] | None = self.rules.view(self.position, None).get("score")
        if score is None:
            self.notes.append(f"line {line}: the moves do not end the game; told as {self._instead()}")
        elif tuple(score) != self.game.score:
            written = ":".join(map(str, self.game.score))
            raise self.fail(line, f"the score is written as {written}, but it is {score[0]}:{score[1]}")


def _same(written: str, position: str) -> bool:
    """Whether two positions are the same but for what they count: the board, and who is to move."""
    return _core(written) == _core(position)


def _core(position: str) -> list[str]:
    return [field for field in position.split() if not field.isdigit()]
