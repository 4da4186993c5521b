"""The performance table: what is measured, and what it should be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    """One figure. `target` is a bound: the least if `at_least`, else the most.

    `value` is None for what was not measured; `note` says why.
    """

    name: str
    unit: str
    value: float | None
    target: float
    at_least: bool = False
    note: str = ""

    @property
    def met(self) -> bool | None:
        """Whether the target is met; None if nothing was measured."""
        if self.value is None:
            return None
        return self.value >= self.target if self.at_least else self.value <= self.target

    def as_json(self) -> dict[str, object]:
        """The row for other programs."""
        return {
            "name": self.name,
            "unit": self.unit,
            "value": self.value,
            "target": self.target,
            "at_least": self.at_least,
            "met": self.met,
            "note": self.note,
        }


def formatted(rows: Sequence[Row]) -> str:
    """The rows as a text table."""
    cells = [("what", "measured", "target", "")]
    for row in rows:
        verdict = {True: "met", False: "MISSED", None: "not measured"}[row.met]
        value = "-" if row.value is None else f"{row.value:,.4g} {row.unit}"
        bound = f"{'>=' if row.at_least else '<='} {row.target:,g} {row.unit}"
        cells.append((row.name, value, bound, f"{verdict}{': ' + row.note if row.note else ''}"))
    widths = [max(len(line[column]) for line in cells) for column in range(3)]
    return "\n".join(f"{a:<{widths[0]}}  {b:>{widths[1]}}  {c:>{widths[2]}}  {d}".rstrip() for a, b, c, d in cells)
