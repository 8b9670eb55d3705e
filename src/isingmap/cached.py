"""A property that is computed once; like `functools.cached_property`, but without a lock in Python 3.11 too.

That lock is one for all objects of a class: threads that solve different models would wait for each other. Without it
two threads may compute the same value at the same time; the values are equal, and one of them stays.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any, Generic, TypeVar, overload

Value = TypeVar("Value")


class cached_property(Generic[Value]):  # noqa: N801 - named like the one it stands for
    """Computed at the first reading and then kept in the object's `__dict__`."""

    def __init__(self, compute: Callable[[Any], Value]):
        self.compute = compute
        self.name = compute.__name__
        self.__doc__ = compute.__doc__

    @overload
    def __get__(self, instance: None, owner: type) -> cached_property[Value]: ...

    @overload
    def __get__(self, instance: object, owner: type) -> Value: ...

    def __get__(self, instance, owner):
        if instance is None:
            return self
        return instance.__dict__.setdefault(self.name, self.compute(instance))


def own_fields(record: Any) -> dict[str, Any]:
    """The fields of a dataclass instance without its cached properties: what belongs into a pickle."""
    return {own.name: getattr(record, own.name) for own in fields(record)}
