"""One recorded game with dice and a cube, played on the rules and written down as commands. Pure."""

from typing import Any, Final

import msgspec

from services.cli.importing.planning.steps import PlannedGame, Step
from services.cli.importing.reading.file import RecordError
from services.cli.importing.reading.mat import Concession, CubeAction, MatAction, MatGame, MatMatch, Turn
from services.cli.importing.reading.mat_head import Head
from shared import cube as cubes
from shared import series
from shared.commands import (
    AcceptBeaver,
    AcceptResignation,
    Beaver,
    Double,
    Leave,
    Pass,
    Play,
    PlayerCommand,
    Resign,
    Roll,
    Take,
)
from shared.cube import Cube
from shared.problems import Refused
from shared.rules.protocol import PASS, Chance, Over, Players

_SEATS: Final = 2
_SINGLE, _GAMMON, _BACKGAMMON = 1, 2, 3
_VOID: Final = (
    "the game does not count, and a recorded match has no way to leave a game out of its score;"
    " only the log of the match (ndjson) holds it whole"
)


class At(msgspec.Struct, frozen=True, kw_only=True):
    """Where in its match a game stands.

    ``starter`` begins it (None: whoever wins the opening roll); ``following`` is the score above the next
    game, None after the last one.
    """

    starter: int | None
    crawford: bool
    following: tuple[int, int] | None


def colon(score: tuple[int, int]) -> str:
    """A score as it is read."""
    return f"{score[0]}:{score[1]}"


class GamePlayer:
    """Plays one recorded game on the rules and the cube, and writes down the commands."""

    def __init__(self, match: MatMatch, head: Head, game: MatGame, at: At) -> None:
        """Nothing is played yet. After ``run``: ``first`` is who began, ``notes`` what is worth telling."""
        self.match, self.head, self.game, self.at = match, head, game, at
        self.rules = head.rules
        self.position: Any = self.rules.setup(_SEATS, head.options, at.starter)
        self.first = at.starter
        self.cube = Cube()
        self.steps: list[Step] = []
        self.passed_by: int | None = None
        self.notes: list[str] = []

    def _fail(self, line: int, reason: str) -> RecordError:
        return RecordError(self.match.file, line, f"game {self.game.number}: {reason}")

    def run(self) -> PlannedGame:
        """The whole game; raises ``RecordError``."""
        if self.game.number in self.head.void:
            raise self._fail(self.game.line, _VOID)
        for place, action in enumerate(self.game.actions):
            if self._over:
                if isinstance(action, Concession) or (isinstance(action, Turn) and not action.move):
                    continue  # the loser's empty last roll, or words about a game that is already won
                raise self._fail(action.line, "the game goes on after it was won")
            last = place + 1 == len(self.game.actions)
            self._act(action, last=last)
        winner, points = self._result()
        score = self.game.score
        if winner is not None:
            score = (score[0] + points, score[1]) if winner == 0 else (score[0], score[1] + points)
            self._compare(winner, points, score)
        return PlannedGame(
            number=self.game.number,
            line=self.game.line,
            last_line=self.game.last_line,
            steps=tuple(self.steps),
            plies=sum(isinstance(action, Turn | CubeAction) for action in self.game.actions),
            winner=winner,
            points=points,
            score=score,
        )

    @property
    def _over(self) -> bool:
        return self.passed_by is not None or isinstance(self.rules.waiting(self.position), Over)

    def _add(self, seat: int, command: PlayerCommand, line: int) -> None:
        self.steps.append(Step(seat, command, line))

    def _act(self, action: MatAction, *, last: bool) -> None:
        match action:
            case Turn():
                self._turn(action, last=last)
            case CubeAction():
                self._cube_action(action)
            case Concession():
                # What it is worth, the score tells; that is found when the actions are through.
                if not last:
                    raise self._fail(action.line, "the game goes on after a resignation")

    # --- rolling and moving

    def _turn(self, turn: Turn, *, last: bool) -> None:
        self._answer_by_rolling(turn)
        match self.rules.waiting(self.position):
            case Chance(seat=None):
                self._open(turn)
            case Chance(seat=seat) if seat == turn.seat:
                self._add(turn.seat, Roll(dice=turn.dice), turn.line)
                self.position = self.rules.settle(self.position, turn.dice)
            case _:
                raise self._fail(turn.line, f"it is not the turn of {self.match.names[turn.seat]}")
        legal = self.rules.legal(self.position, turn.seat)
        if legal == (PASS,):
            if turn.move:
                raise self._fail(turn.line, f"{turn.move!r} is written, but there is no legal move")
            self.position = self.rules.play(self.position, turn.seat, PASS)
        elif turn.move:
            self._move(turn)
        elif len(legal) == 1 and not turn.gave_up and not (last and self._would_end(turn.seat, legal[0])):
            self._add(turn.seat, Play(legal[0]), turn.line)  # some writers leave a forced move out
            self.position = self.rules.play(self.position, turn.seat, legal[0])
        elif not last:
            raise self._fail(turn.line, f"no move is written, but {len(legal)} are legal")

    def _open(self, turn: Turn) -> None:
        high, low = max(turn.dice), min(turn.dice)
        if high == low:
            raise self._fail(turn.line, f"the opening roll cannot be a double ({high}{low})")
        dice = (high, low) if turn.seat == 0 else (low, high)
        self.first = turn.seat
        self._add(turn.seat, Roll(dice=dice), turn.line)
        self.position = self.rules.settle(self.position, dice)
        if self.rules.waiting(self.position) != Players((turn.seat,)):
            raise self._fail(turn.line, "the opening roll does not let this player begin")

    def _move(self, turn: Turn) -> None:
        try:
            move = self.rules.read(self.position, turn.seat, turn.move)
        except Refused as refused:
            reason = refused.problem.detail or refused.problem.title
            raise self._fail(turn.line, f"{turn.dice[0]}{turn.dice[1]}: {turn.move}: {reason}") from refused
        self._add(turn.seat, Play(move), turn.line)
        self.position = self.rules.play(self.position, turn.seat, move)

    def _would_end(self, seat: int, move: str) -> bool:
        return isinstance(self.rules.waiting(self.rules.play(self.position, seat, move)), Over)

    # --- the cube

    def _answer_by_rolling(self, turn: Turn) -> None:
        """A roll after an unanswered double or beaver: it was taken, or accepted, without a word."""
        if self.cube.by is None:
            return
        if self.cube.beavered and turn.seat != self.cube.by:
            self._accept_beaver(turn.seat, turn.line)
        elif not self.cube.beavered and turn.seat == self.cube.by:
            self._take(1 - turn.seat, turn.line)
        else:
            raise self._fail(turn.line, "a double waits for its answer")

    def _take(self, seat: int, line: int) -> None:
        self._add(seat, Take(), line)
        self.cube = cubes.take(self.cube, seat)

    def _accept_beaver(self, seat: int, line: int) -> None:
        self._add(seat, AcceptBeaver(), line)
        self.cube = cubes.accept_beaver(self.cube)

    def _pass(self, seat: int, line: int) -> None:
        self._add(seat, Pass(), line)
        self.passed_by = seat

    def _cube_action(self, action: CubeAction) -> None:
        if action.verb == "double" and self.cube.by is None:
            self._double(action)
            return
        if self.cube.by is None:
            raise self._fail(action.line, f"a {action.verb} without a double")
        if action.seat == self.cube.by:
            raise self._fail(action.line, f"{self.match.names[action.seat]} answers an own double")
        match action.verb:
            case "take" if self.cube.beavered:
                self._accept_beaver(action.seat, action.line)
            case "take":
                self._take(action.seat, action.line)
            case "drop":
                self._pass(action.seat, action.line)
            case "beaver" | "double" if cubes.may_beaver(self.cube):  # many write a beaver as a double
                self._add(action.seat, Beaver(), action.line)
                self.cube = cubes.beaver(self.cube, action.seat)
                self._check_value(action)
            case _:
                raise self._fail(
                    action.line, f"a {action.verb} cannot be played here (cube at {self.cube.value})"
                )

    def _double(self, action: CubeAction) -> None:
        waiting = self.rules.waiting(self.position)
        if not (isinstance(waiting, Chance) and waiting.seat == action.seat):
            raise self._fail(action.line, f"{self.match.names[action.seat]} may not double now")
        if self.at.crawford:
            raise self._fail(action.line, "a double in the Crawford game")
        if not self.head.terms.cube:
            raise self._fail(action.line, "a double in a match without the cube")
        if not cubes.may_double(self.cube, action.seat):
            reason = f"(cube at {self.cube.value}, at most {cubes.LIMIT})"
            raise self._fail(action.line, f"{self.match.names[action.seat]} may not double {reason}")
        if self.first is None:
            self.first = action.seat
        self._add(action.seat, Double(), action.line)
        self.cube = cubes.offer(self.cube, action.seat)
        self._check_value(action)

    def _check_value(self, action: CubeAction) -> None:
        if action.value is not None and action.value != self.cube.offered:
            raise self._fail(action.line, f"the cube would go to {self.cube.offered}, not to {action.value}")

    # --- the end

    def _result(self) -> tuple[int | None, int]:
        waiting = self.rules.waiting(self.position)
        if isinstance(waiting, Over):
            return waiting.result.winner, series.points(self.head.terms, waiting.result, self.cube.value)
        if self.passed_by is not None:
            return 1 - self.passed_by, self.cube.value
        return self._resignation()

    def _resignation(self) -> tuple[int | None, int]:
        """No bear-off and no drop ended the game: the loser resigned, at what the written points say."""
        winner, points = self._written()
        if winner is None:
            self._stops()
            return None, 0
        line = self.game.result_line or self.game.last_line
        loser = 1 - winner
        if self.cube.by is not None:
            return winner, self._given_up(loser, points, line)
        worth = self._worth(loser, points)
        self._add(loser, Resign(confirm=True, worth=worth), line)
        self._add(winner, AcceptResignation(), line)
        return winner, self._counted(worth)

    def _stops(self) -> None:
        """The game has no winner: only the last one may stop like that."""
        if self.at.following == self.game.score:
            raise self._fail(self.game.last_line, _VOID)
        if self.at.following is not None:
            raise self._fail(self.game.last_line, "the game has no winner, and yet another one follows")

    def _given_up(self, loser: int, points: int | None, line: int) -> int:
        """A double or a beaver waits: ``loser`` passes without a word, or leaves. What that counts."""
        if self.cube.by != loser and points in (None, self.cube.value):
            self._pass(loser, line)
            return self.cube.value
        left = self._counted(self.rules.forfeit(self.position, loser, "left").points)
        if points != left:
            raise self._fail(line, "the game ends while a double waits for its answer")
        self._add(loser, Leave(), line)
        return left

    def _counted(self, worth: int) -> int:
        return series.counted(self.head.terms, worth, self.cube.value) * self.cube.value

    def _written(self) -> tuple[int | None, int | None]:
        """Winner and points as the file tells: by the next game's score, by ``Wins``, by who gave up."""
        if self.at.following is not None:
            gained = (self.at.following[0] - self.game.score[0], self.at.following[1] - self.game.score[1])
            if max(gained) > 0 and min(gained) == 0:
                winner = gained.index(max(gained))
                return winner, gained[winner]
        if self.game.winner is not None:
            return self.game.winner, self.game.points
        last = self.game.actions[-1]
        if isinstance(last, Concession) or (isinstance(last, Turn) and last.gave_up):
            return 1 - last.seat, None
        return None, None

    def _worth(self, loser: int, points: int | None) -> int:
        """What a resignation was worth, as gnubg judges by the points written (None: by the rules)."""
        if points is None:
            return self.rules.forfeit(self.position, loser, "resigned").points
        if points <= self.cube.value:
            return _SINGLE
        return _GAMMON if points <= 2 * self.cube.value else _BACKGAMMON

    def _compare(self, winner: int, points: int, score: tuple[int, int]) -> None:
        """The points and the next score that are written must be those of the play."""
        following, written, target = self.at.following, self.game.points, self.match.target
        line = self.game.result_line or self.game.last_line
        if following == self.game.score and self.game.winner is None:
            raise self._fail(line, _VOID)
        doubt = f" ({self.head.doubt})" if self.head.doubt else ""
        if written is not None and written != points:
            reached = target and min(self.game.score[winner] + written, score[winner]) >= target
            if not reached:
                raise self._fail(line, f"{written} points are written, but the game is worth {points}{doubt}")
            self.notes.append(f"line {line}: {written} written, {points} won; the surplus earns nothing")
        if following not in (None, score):
            reason = f"the next score is {colon(following)}, but play leads to {colon(score)}{doubt}"
            raise self._fail(line, reason)
        if following is None and self.game.winner not in {None, winner}:
            # Where a score follows, that one tells; some writers put the line in the next free column.
            raise self._fail(line, f"{self.match.names[1 - winner]} is written as the winner, but lost")
