"""What a gateway asks ``game`` twice a second: what time is it? From one that serves it is a sign of life."""

from typing import Final

import msgspec


class TimeQuestion(msgspec.Struct, frozen=True):
    """``serving``: players can send commands through the gateway that asks. Only then it is a knock."""

    serving: bool


class TimeAnswer(msgspec.Struct, frozen=True):
    """What ``game`` stamps and judges by: ``now_ms`` when the question came."""

    now_ms: int


ENCODER: Final = msgspec.json.Encoder()
TIME_QUESTION: Final = msgspec.json.Decoder(TimeQuestion)
TIME_ANSWER: Final = msgspec.json.Decoder(TimeAnswer)
