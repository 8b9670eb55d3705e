from isingmap.model.ising_model import IsingModel

__all__ = ["IsingModel"]
