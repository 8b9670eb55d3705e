"""Real tables that ship with the package; each module states its source, licence and verified counts."""

from isingmap.datasets.senate106 import load_senate106

__all__ = ["load_senate106"]
