"""Metrics as loops over plain values, slow and plain to see: what the columns are held against."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count

from answer_tables import Made, Member, Said


@dataclass(frozen=True)
class Case:
    """One unit: what it earns by each measure that it counts for, its slice and its cluster."""

    credit: dict[str, float]
    group: Made
    cluster: object
    tags: dict[str, str]
    counted: bool


def words(said: Said) -> str:
    if said.state != "unparsed":
        return said.value
    return " ".join(said.raw.lower().split()).strip(" \t.,;:!?\"'`()[]")


def credit(group: Made, member: Member, said: Said) -> float | None:
    if member.gold is None or group.mode != "answer":
        return None
    return member.gold.get(said.value, 0.0) if said.state == "ok" else 0.0


def consistent(group: Made, members: tuple[Member, Member], base: Said, variant: Said) -> bool | None:
    refused = "refused" in (base.state, variant.state)
    if group.relation == "ranks":
        if refused or "unparsed" in (base.state, variant.state):
            return False
        return None if base.score is None or variant.score is None else base.score > variant.score
    if group.relation == "gold" or group.mode != "answer":
        return None
    equal = words(base) == words(variant)
    if not equal and group.relation != "swap" and members[0].gold == members[1].gold:
        earned = [credit(group, member, said) for member, said in zip(members, (base, variant), strict=True)]
        equal = all(one is not None and one >= 0.5 for one in earned)
    return not refused and (not equal if group.relation == "differs" else equal)


def answered(member: Member, other: bool) -> Said | None:
    said = member.other if other else member.said
    return said if said and said.state != "failed" else None


def pair_cases(groups: Sequence[Made], threshold: float = 0.5, *, other: bool = False) -> Iterator[Case]:
    alone = count()
    for group in groups:
        cluster = group.picture or next(alone)
        for variant in group.members[1:]:
            base, own = group.members[0], answered(variant, other)
            first = answered(base, other)
            earned: dict[str, float] = {}
            if first and own:
                both_credits = credit(group, base, first), credit(group, variant, own)
                if None not in both_credits:
                    one, two = (float(c or 0) for c in both_credits)
                    both = float(one >= threshold and two >= threshold)
                    earned |= {"accuracy": (one + two) / 2, "base_accuracy": one, "variant_accuracy": two}
                    earned |= {"comprehensive_accuracy": both}
                related = consistent(group, (base, variant), first, own)
                if related is not None and group.relation in ("same", "differs"):
                    earned["self_consistency"] = float(related)
                if related is not None and group.relation == "ranks":
                    earned["acc_r"] = float(related)
            yield Case(earned, group, cluster, base.tags | variant.tags, bool(first and own))


def set_cases(groups: Sequence[Made], threshold: float = 0.5, *, other: bool = False) -> Iterator[Case]:
    alone = count()
    for group in groups:
        cluster = group.picture or next(alone)
        if len(group.members) == 1:
            continue
        said = [answered(member, other) for member in group.members]
        earned: dict[str, float] = {}
        if all(said):
            earnings = [credit(group, member, one) for member, one in zip(group.members, said, strict=True) if one]
            known = [earning for earning in earnings if earning is not None]
            if len(known) == len(group.members):
                earned = {"worst_case": min(known), "all_right": float(all(one >= threshold for one in known))}
        yield Case(earned, group, cluster, group.members[0].tags, all(said))


def single_cases(groups: Sequence[Made], *, other: bool = False) -> Iterator[Case]:
    alone = count()
    for group in groups:
        cluster = group.picture or next(alone)
        for member in group.members:
            own = answered(member, other)
            earned = {} if own is None else {"answer_accuracy": credit(group, member, own)}
            kept = {name: one for name, one in earned.items() if one is not None}
            yield Case(kept, group, cluster, group.members[0].tags | member.tags, own is not None)


def cases(groups: Sequence[Made], threshold: float = 0.5) -> dict[str, list[Case]]:
    return {
        "pair": list(pair_cases(groups, threshold)),
        "group": list(set_cases(groups, threshold)),
        "answer": list(single_cases(groups)),
    }
