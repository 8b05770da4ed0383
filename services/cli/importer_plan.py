"""From a recorded match of backgammon to the commands that play it again. Pure.

Everything is checked before anything is sent: moves against the rules, doubles against the cube, scores
against those written in the file. A file that cannot be replayed whole is refused here, so that nothing of
it is ever imported.
"""

from itertools import pairwise
from typing import Any, Final

from services.cli.importer_steps import Plan, PlannedGame, Step
from services.cli.mat import Concession, CubeAction, MatAction, MatGame, MatMatch, Turn
from services.cli.records.record import RecordError
from shared import cube as cubes
from shared.commands import (
    AcceptBeaver,
    AcceptResignation,
    Beaver,
    Double,
    Pass,
    Play,
    PlayerCommand,
    Resign,
    Roll,
    Take,
)
from shared.cube import Cube
from shared.events.match import Terms
from shared.problems import Refused
from shared.rules.protocol import PASS, Chance, Over, Players
from shared.rules.registry import AnyRules, rules
from shared.series import crawford_due, reached

GAME: Final = "backgammon"
_SEATS: Final = 2
_SINGLE, _GAMMON, _BACKGAMMON = 1, 2, 3


def plan(match: MatMatch) -> Plan:
    """The commands that replay ``match``; raises ``RecordError`` with the line that stands in the way."""
    games = [game for game in match.games if game.actions or game.winner is not None]
    if not games:
        raise RecordError(match.file, match.games[0].line if match.games else 1, "no game has any moves")
    terms = Terms(
        target=match.target,
        first_move="alternate" if _alternates(games) else "roll_each_game",
        cube=True,
        beaver=any(isinstance(a, CubeAction) and a.verb == "beaver" for g in games for a in g.actions),
    )
    planned: list[PlannedGame] = []
    notes: list[str] = []
    score, crawford_used, first = (0, 0), False, None
    for place, game in enumerate(games):
        if reached(terms, score) is not None:
            notes.append(f"line {game.line}: the match is already over; the rest is left out")
            break
        if game.score != score:
            raise RecordError(
                match.file,
                game.line + 1,
                f"the score is written as {_colon(game.score)}, but it is {_colon(score)}",
            )
        following = games[place + 1].score if place + 1 < len(games) else None
        crawford = crawford_due(terms, score, used=crawford_used)
        starter = None if first is None or terms.first_move == "roll_each_game" else 1 - first
        player = _GamePlayer(match, game, starter, crawford=crawford, following=following)
        done = player.run()
        notes += player.notes
        first = player.first
        planned.append(done)
        score, crawford_used = done.score, crawford_used or crawford
        if done.winner is None and place + 1 < len(games):
            raise RecordError(
                match.file, game.last_line, "the game has no winner, and yet another one follows"
            )
    complete = planned[-1].winner is not None
    over = reached(terms, score) is not None
    if complete and not over:
        notes.append("the file ends before the match is decided")
    return Plan(
        file=match.file,
        game=GAME,
        terms=terms,
        games=tuple(planned),
        score=score,
        complete=complete,
        over=over,
        leaves=int(score[0] > score[1]) if complete and not over else None,  # the one who is behind
        notes=tuple(notes),
    )


def _colon(score: tuple[int, int]) -> str:
    return f"{score[0]}:{score[1]}"


def _alternates(games: list[MatGame]) -> bool:
    """Whether later games begin without an opening roll, the first move alternating.

    Only a double or a cube action at the start of a later game tells; real files hardly ever do it, our
    own exports of house matches do.
    """
    opening = [game.actions[0] if game.actions else None for game in games]
    telling = any(
        isinstance(action, CubeAction) or (isinstance(action, Turn) and action.dice[0] == action.dice[1])
        for action in opening[1:]
    )
    seats = [action.seat for action in opening if isinstance(action, Turn | CubeAction)]
    return telling and len(seats) == len(opening) and all(a != b for a, b in pairwise(seats))


class _GamePlayer:
    """Plays one recorded game on the rules and the cube, and writes down the commands."""

    def __init__(
        self,
        match: MatMatch,
        game: MatGame,
        starter: int | None,
        *,
        crawford: bool,
        following: tuple[int, int] | None,
    ) -> None:
        self.match, self.game, self.following = match, game, following
        self.crawford = crawford
        self.rules: AnyRules = rules(GAME)
        self.position: Any = self.rules.setup(_SEATS, {}, starter)
        self.first = starter
        self.cube = Cube()
        self.steps: list[Step] = []
        self.passed_by: int | None = None
        self.notes: list[str] = []

    def fail(self, line: int, reason: str) -> RecordError:
        return RecordError(self.match.file, line, f"game {self.game.number}: {reason}")

    def run(self) -> PlannedGame:
        """The whole game; raises ``RecordError``."""
        for place, action in enumerate(self.game.actions):
            if self.over:
                if isinstance(action, Concession) or (isinstance(action, Turn) and not action.move):
                    continue  # the loser's empty last roll, or words about a game that is already won
                raise self.fail(action.line, "the game goes on after it was won")
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
    def over(self) -> bool:
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
                    raise self.fail(action.line, "the game goes on after a resignation")

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
                raise self.fail(turn.line, f"it is not the turn of {self.match.names[turn.seat]}")
        legal = self.rules.legal(self.position, turn.seat)
        if legal == (PASS,):
            if turn.move:
                raise self.fail(turn.line, f"{turn.move!r} is written, but there is no legal move")
            self.position = self.rules.play(self.position, turn.seat, PASS)
        elif turn.move:
            self._move(turn)
        elif len(legal) == 1 and not (last and self._would_end(turn.seat, legal[0])):
            self._add(turn.seat, Play(legal[0]), turn.line)  # some writers leave a forced move out
            self.position = self.rules.play(self.position, turn.seat, legal[0])
        elif not last:
            raise self.fail(turn.line, f"no move is written, but {len(legal)} are legal")

    def _open(self, turn: Turn) -> None:
        high, low = max(turn.dice), min(turn.dice)
        if high == low:
            raise self.fail(turn.line, f"the opening roll cannot be a double ({high}{low})")
        dice = (high, low) if turn.seat == 0 else (low, high)
        self.first = turn.seat
        self._add(turn.seat, Roll(dice=dice), turn.line)
        self.position = self.rules.settle(self.position, dice)
        if self.rules.waiting(self.position) != Players((turn.seat,)):
            raise self.fail(turn.line, "the opening roll does not let this player begin")

    def _move(self, turn: Turn) -> None:
        try:
            move = self.rules.read(self.position, turn.seat, turn.move)
        except Refused as refused:
            reason = refused.problem.detail or refused.problem.title
            raise self.fail(turn.line, f"{turn.dice[0]}{turn.dice[1]}: {turn.move}: {reason}") from refused
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
            raise self.fail(turn.line, "a double waits for its answer")

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
        if action.verb == "double":
            self._double(action)
            return
        if self.cube.by is None:
            raise self.fail(action.line, f"a {action.verb} without a double")
        if action.seat == self.cube.by:
            raise self.fail(action.line, f"{self.match.names[action.seat]} answers an own double")
        match action.verb:
            case "take" if self.cube.beavered:
                self._accept_beaver(action.seat, action.line)
            case "take":
                self._take(action.seat, action.line)
            case "drop":
                self._pass(action.seat, action.line)
            case "beaver" if cubes.may_beaver(self.cube):
                self._add(action.seat, Beaver(), action.line)
                self.cube = cubes.beaver(self.cube, action.seat)
                self._check_value(action)
            case _:
                raise self.fail(
                    action.line, f"a {action.verb} cannot be played here (cube at {self.cube.value})"
                )

    def _double(self, action: CubeAction) -> None:
        waiting = self.rules.waiting(self.position)
        if not (isinstance(waiting, Chance) and waiting.seat == action.seat):
            raise self.fail(action.line, f"{self.match.names[action.seat]} may not double now")
        if self.crawford:
            raise self.fail(action.line, "a double in the Crawford game")
        if not cubes.may_double(self.cube, action.seat):
            reason = f"(cube at {self.cube.value}, at most {cubes.LIMIT})"
            raise self.fail(action.line, f"{self.match.names[action.seat]} may not double {reason}")
        if self.first is None:
            self.first = action.seat
        self._add(action.seat, Double(), action.line)
        self.cube = cubes.offer(self.cube, action.seat)
        self._check_value(action)

    def _check_value(self, action: CubeAction) -> None:
        if action.value is not None and action.value != self.cube.offered:
            raise self.fail(action.line, f"the cube would go to {self.cube.offered}, not to {action.value}")

    # --- the end

    def _result(self) -> tuple[int | None, int]:
        waiting = self.rules.waiting(self.position)
        if isinstance(waiting, Over):
            winner = waiting.result.winner
            return winner, waiting.result.points * self.cube.value
        if self.passed_by is not None:
            return 1 - self.passed_by, self.cube.value
        return self._resignation()

    def _resignation(self) -> tuple[int | None, int]:
        """No bear-off and no drop ended the game: the loser resigned, at what the written points say."""
        winner, points = self._written()
        if winner is None:
            return None, 0
        line = self.game.result_line or self.game.last_line
        loser = 1 - winner
        if self.cube.by == winner:  # the double or the beaver was dropped without a word
            value = self.cube.value
            self._pass(loser, line)
            return winner, value
        if self.cube.by is not None:
            raise self.fail(line, "the game ends while a double waits for its answer")
        worth = self._worth(loser, points)
        self._add(loser, Resign(confirm=True, worth=worth), line)
        self._add(winner, AcceptResignation(), line)
        return winner, worth * self.cube.value

    def _written(self) -> tuple[int | None, int | None]:
        """Winner and points as the file tells: by the next game's score, by ``Wins``, by who gave up."""
        if self.following is not None:
            gained = (self.following[0] - self.game.score[0], self.following[1] - self.game.score[1])
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
        target = self.match.target
        written = self.game.points
        line = self.game.result_line or self.game.last_line
        if written is not None and written != points:
            reached = target and min(self.game.score[winner] + written, score[winner]) >= target
            if not reached:
                raise self.fail(line, f"{written} points are written, but the game is worth {points}")
            self.notes.append(f"line {line}: {written} written, {points} won; the surplus earns nothing")
        if self.following is not None and self.following != score:
            raise self.fail(
                line, f"the next score is {_colon(self.following)}, but play leads to {_colon(score)}"
            )
        if self.following is None and self.game.winner not in {None, winner}:
            # Where a score follows, that one tells; some writers put the line in the next free column.
            raise self.fail(line, f"{self.match.names[1 - winner]} is written as the winner, but lost")
