"""Binary quadratic models of dimod (D-Wave), as objects."""

from __future__ import annotations

from isingmap.errors import IsingMapError, ModelError
from isingmap.io.energy_signs import Energy, energy_from_model, model_from_energy
from isingmap.io.model_content import ModelFile
from isingmap.model import IsingModel

DOMAIN_OF = {"SPIN": "spin", "BINARY": "boolean"}  # dimod's names of the two kinds of variables
VARTYPE_OF = {domain: vartype for vartype, domain in DOMAIN_OF.items()}


def from_bqm(bqm) -> ModelFile:
    """The model of a dimod BinaryQuadraticModel, or of anything with vartype, linear, quadratic and offset.

    Spins come in the order of bqm.linear; their names are the variables written as text.

    Raises
    ------
    ModelError
        If an attribute is absent or not of that kind, or two variables are written alike.
    """
    try:
        domain = DOMAIN_OF.get(getattr(bqm.vartype, "name", bqm.vartype))
        linear = {variable: float(bias) for variable, bias in bqm.linear.items()}
        quadratic = {(u, v): float(bias) for (u, v), bias in bqm.quadratic.items()}
        offset = float(bqm.offset)
    except (AttributeError, TypeError, ValueError, OverflowError) as error:
        raise ModelError(f"not a binary quadratic model: {error}") from None
    if domain is None:
        raise ModelError(f"vartype must be SPIN or BINARY, got {bqm.vartype!r}")
    position = {variable: k for k, variable in enumerate(linear)}
    unknown = [v for pair in quadratic for v in pair if v not in position]
    if unknown:
        raise ModelError(f"the variable {unknown[0]!r} of a quadratic term is not in linear")
    edges = [(position[u], position[v]) for u, v in quadratic]
    names = tuple(str(variable) for variable in linear)
    energy = Energy(names, edges, list(linear.values()), list(quadratic.values()), offset, 1.0, domain)
    return model_from_energy(energy, "binary quadratic model")


def to_bqm(model: IsingModel, *, offset: float = 0.0, domain: str = "spin"):
    """A dimod.BinaryQuadraticModel whose energy is offset - log_weight; its variables are the names.

    Raises
    ------
    IsingMapError
        If dimod is not installed.
    """
    try:
        import dimod
    except ImportError:
        raise IsingMapError("dimod is not installed: pip install dimod, or write a COO or bqpjson file") from None
    energy = energy_from_model(model, offset=offset, domain=domain)
    pairs = zip(model.edge_names, energy.quadratic, strict=True)
    return dimod.BinaryQuadraticModel(
        dict(zip(model.names, energy.linear, strict=True)), dict(pairs), energy.offset, VARTYPE_OF[domain]
    )
