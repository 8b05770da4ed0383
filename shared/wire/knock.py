"""What a gateway asks ``game`` twice a second: what time is it? The question is empty, and a sign of life."""

from typing import Final

import msgspec


class TimeAnswer(msgspec.Struct, frozen=True):
    """What ``game`` stamps and judges by: ``now_ms`` when the question came."""

    now_ms: int


ENCODER: Final = msgspec.json.Encoder()
TIME_ANSWER: Final = msgspec.json.Decoder(TimeAnswer)
