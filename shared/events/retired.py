"""Shapes that are no longer written but stay readable for ever, and what they mean today."""

import msgspec

from shared.events.match import ResignationOffered


class ResignationOfferedV1(msgspec.Struct, frozen=True, omit_defaults=True, tag="resignation_offered"):
    """The first shape of a resignation, from the drafts of the log: only whether it was a gammon."""

    seat: int
    gammon: bool = False


RetiredMatchEvent = ResignationOfferedV1


def upcast(event: RetiredMatchEvent) -> ResignationOffered:
    """Today's event with the meaning of a retired one."""
    match event:
        case ResignationOfferedV1(seat=seat, gammon=gammon):
            return ResignationOffered(seat=seat, worth=2 if gammon else 1)
