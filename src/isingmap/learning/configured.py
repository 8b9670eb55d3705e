"""The settings of an estimator, as scikit-learn wants to see them."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any, Self

from isingmap.data.options import DataOptions
from isingmap.learning.settings import SETTINGS, checked_settings, options_from
from isingmap.structure.options import UncertaintyOptions


class Configured:
    """The half of PlanarIsing that is there before anything was learned; each setting is an attribute."""

    if TYPE_CHECKING:  # the settings are attributes

        def __getattr__(self, name: str) -> Any: ...

    def __init__(self, *unnamed, **settings):
        """Raises TypeError for a name that is no setting, and for a value without a name."""
        if unnamed:
            raise TypeError(
                f"PlanarIsing takes its settings by name, such as PlanarIsing(family='zero-field'), and data in "
                f"fit(X); got {type(unnamed[0]).__name__} without a name"
            )
        vars(self).update(checked_settings(settings))

    def get_params(self, deep=True) -> dict:
        """Settings and their values."""
        return {name: getattr(self, name) for name in SETTINGS}

    def set_params(self, **params) -> Self:
        """Change settings.

        Raises
        ------
        ValueError
            For a name that is no setting.
        """
        for name, value in params.items():
            if name not in SETTINGS:
                raise ValueError(
                    f"Invalid parameter {name!r} for estimator {self}. Valid parameters are: {list(SETTINGS)}."
                )
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        values = self.get_params().items()
        changed = [f"{name}={value!r}" for name, value in values if value is not SETTINGS[name].default]
        return f"{type(self).__name__}({', '.join(changed)})"

    def __sklearn_tags__(self):
        from sklearn.utils import InputTags, Tags, TargetTags

        return Tags(
            estimator_type="density_estimator",
            target_tags=TargetTags(required=False),
            transformer_tags=None,
            regressor_tags=None,
            classifier_tags=None,
            input_tags=InputTags(allow_nan=self._reading.missing != "error"),
        )

    @property
    def _reading(self) -> DataOptions:
        return DataOptions(**options_from(self.get_params(), DataOptions))

    @property
    def _uncertainty(self) -> UncertaintyOptions:
        return UncertaintyOptions(**options_from(self.get_params(), UncertaintyOptions))

    def _settings(self) -> dict[str, object]:
        """All settings on which the result depends, defaults too."""
        return deepcopy({name: value for name, value in self.get_params().items() if SETTINGS[name].shapes_result})
