"""Which fields a model may have: the families, each one record."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Family:
    """What may be a parameter besides the couplings.

    Attributes
    ----------
    name : str
    meaning : str
        For the summary.
    room : str
        For the summary: how many edges the plane has room for.
    help : str
        For whoever chooses.
    about_fields : str
        What it does about fields, for messages.
    has_fields : bool
        Whether spins may have fields at all.
    every_field : bool
        Whether every spin has one from the start.
    fields_in_plane : bool
        Whether fields take room in the plane, as edges to one node more.
    """

    name: str
    meaning: str
    room: str
    help: str
    about_fields: str
    has_fields: bool
    every_field: bool
    fields_in_plane: bool = True


FAMILIES = {
    family.name: family
    for family in (
        Family(
            "planar",
            "a field on every variable; the graph of the couplings is planar",
            "with n variables that is 3n-6 edges",
            "a field on every variable, and a planar graph",
            "gives every variable a field",
            has_fields=True,
            every_field=True,
            fields_in_plane=False,
        ),
        Family(
            "partial",
            "fields and couplings were chosen in competition",
            "with n variables there is room for 3n-3 couplings and fields together (3n-6 couplings)",
            "the data decide which variables get a field (a leaning of their own) and which pairs a coupling",
            "chooses its fields by their price as it is",
            has_fields=True,
            every_field=False,
        ),
        Family(
            "zero-field",
            "no fields; every variable is taken for a fair coin",
            "with n variables that is 3n-6 edges",
            "couplings only, right when every column is about half and half",
            "has no fields",
            has_fields=False,
            every_field=False,
        ),
        Family(
            "outer-planar",
            "a field on every variable; the graph is outer-planar",
            "with n variables that is 2n-3 edges",
            "a field on every variable, and an outer-planar graph",
            "gives every variable a field for good",
            has_fields=True,
            every_field=True,
        ),
    )
}
# From the fewest parameters to the most: of equally good families the first is taken.
SIMPLEST_FIRST = ("zero-field", "partial", "outer-planar", "planar")
# Stands for all of them, compared by the criterion.
AUTO = "auto"
