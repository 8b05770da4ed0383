"""Presence in Redis (Valkey): one hash for each player, one key for each gateway's lease, all with expiry.

A player's hash has a field for every gateway that has him, and ``away``: when he was last seen to go. What
changes it is one script, so that no reader sees half of it. A request that timed out may be carried out
later than the next one: every gateway numbers what it says, and what comes too late is not taken.
"""

from collections.abc import Sequence
from itertools import count
from typing import Final

from redis.asyncio import Redis
from redis.exceptions import RedisError

from shared.ports.presence import LEASE_MS, RECORD_MS, PresenceUnavailable, Sign
from shared.wire.presence import AWAY, IS_HERE, IS_UNKNOWN, Presence

AT_ONCE: Final = 200
"""So many players in one script: others wait for it no longer than about two milliseconds."""

_PLAYER: Final = "presence:"
_LEASE: Final = "presence-lease:"
_ANY: Final = "presence-leases"  # there while any gateway is alive

# ARGV: gateway, number, lease, record; then word and moment for each player. -1: too late; 0: no lease; 1.
_SAY: Final = """
local last = redis.call('GET', KEYS[1])
if last and tonumber(last) >= tonumber(ARGV[2]) then return -1 end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
redis.call('SET', KEYS[2], '1', 'PX', ARGV[3])
for i = 3, #KEYS do
  local key, word, since = KEYS[i], ARGV[2 * i - 1], tonumber(ARGV[2 * i])
  if word == 'here' or word == 'acted' then
    redis.call('HSET', key, ARGV[1], word)
  else
    redis.call('HDEL', key, ARGV[1])
    local known = redis.call('HGET', key, 'away')
    if word == 'away' or known then
      redis.call('HSET', key, 'away', string.format('%d', math.max(tonumber(known or 0), since)))
    end
  end
  redis.call('PEXPIRE', key, ARGV[4])
end
return last and 1 or 0
"""
# ARGV: now, what leases begin with, the key of any lease. Per player -1: here; 0: unknown; else away since.
_OF: Final = """
if redis.call('EXISTS', ARGV[3]) == 0 then return false end
local alive, answers = {}, {}
for i, key in ipairs(KEYS) do
  local fields = redis.call('HGETALL', key)
  local here, lost, rested, away = false, false, false, nil
  for j = 1, #fields, 2 do
    local field, value = fields[j], fields[j + 1]
    if field == 'away' then
      away = tonumber(value)
    else
      if alive[field] == nil then alive[field] = redis.call('EXISTS', ARGV[2] .. field) == 1 end
      if alive[field] then
        here = true
      else
        redis.call('HDEL', key, field)
        if value == 'here' then lost = true else rested = true end
      end
    end
  end
  if lost or (rested and away) then
    away = math.max(away or 0, tonumber(ARGV[1]))
    redis.call('HSET', key, 'away', string.format('%d', away))
  end
  answers[i] = here and -1 or (away or 0)
end
return answers
"""


class RedisPresence:
    """``Presences``, as ``gateway``; one instance per process."""

    def __init__(self, redis: Redis, gateway: str = "") -> None:
        """``redis`` belongs to the caller, who closes it; ``gateway`` is a name that no other process has."""
        self._redis = redis
        self._gateway = gateway
        self._numbers = count(1)
        self._say = redis.register_script(_SAY)
        self._of = redis.register_script(_OF)

    async def say(self, signs: Sequence[Sign]) -> bool:
        """See ``Presences.say``."""
        known = True
        for begin in range(0, max(len(signs), 1), AT_ONCE):
            part = signs[begin : begin + AT_ONCE]
            keys = [_LEASE + self._gateway, _ANY, *(_PLAYER + sign.player for sign in part)]
            arguments: list[str | int] = [self._gateway, next(self._numbers), LEASE_MS, RECORD_MS]
            for sign in part:
                arguments += (sign.word.value, sign.since_ms)
            try:
                answer = int(await self._say(keys=keys, args=arguments))
            except (RedisError, OSError) as error:
                raise PresenceUnavailable(str(error)) from error
            known = known and answer == 1
        return known

    async def of(self, players: Sequence[str], now_ms: int) -> dict[str, Presence]:
        """See ``Presences.of``; one pipeline."""
        try:
            async with self._redis.pipeline(transaction=False) as pipe:
                for begin in range(0, len(players), AT_ONCE):
                    keys = [_PLAYER + player for player in players[begin : begin + AT_ONCE]]
                    await self._of(keys=keys, args=[now_ms, _LEASE, _ANY], client=pipe)
                answers = await pipe.execute()
        except (RedisError, OSError) as error:
            raise PresenceUnavailable(str(error)) from error
        found: list[int] = []
        for answer in answers:
            if answer is None:
                raise PresenceUnavailable("no gateway is alive")
            found += answer
        return {player: _presence(value) for player, value in zip(players, found, strict=True)}


def _presence(value: int) -> Presence:
    if value < 0:
        return IS_HERE
    return Presence(AWAY, value) if value else IS_UNKNOWN
