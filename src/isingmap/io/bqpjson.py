"""bqpjson 1.0.0, the JSON of binary quadratic programs (lanl-ansi): E = scale * (terms + offset)."""

from __future__ import annotations

from os import fspath

from isingmap.errors import FileFormatError
from isingmap.files.strict_json import object_or_nothing, read_json_object, shown, write_json
from isingmap.io.domains import DOMAINS
from isingmap.io.energy_signs import Energy, energy_from_model, model_from_energy
from isingmap.io.model_content import FormatFunctions, ModelFile, ModelPath
from isingmap.model import IsingModel

VERSION = "1.0.0"
NAMES_KEY = "isingmap_names"  # in the free-form metadata: the format itself has numbers only


def read_bqpjson(path: ModelPath) -> ModelFile:
    """Read a bqpjson file of spin or boolean variables.

    Variables are called by their ids, unless isingmap wrote the file and stored their names in its metadata.
    Description and solutions are ignored.

    Raises
    ------
    FileFormatError
        With the key that is missing or wrong.
    """
    document, where = read_json_object(path), fspath(path)
    if document.get("version") != VERSION:
        raise FileFormatError(
            f'{where}: expected "version": "{VERSION}" of bqpjson, got {shown(document.get("version"))}'
        )
    domain = document.get("variable_domain")
    if domain not in DOMAINS:
        raise FileFormatError(f'{where}: "variable_domain" must be "spin" or "boolean", got {shown(domain)}')
    scale = _number(document, "scale", where)
    if scale <= 0:
        raise FileFormatError(f'{where}: "scale" must be positive, got {scale}')
    position = _positions(document, where)
    edges, quadratic = _quadratic(document, position, where)
    energy = Energy(
        _names(document, position),
        edges,
        _linear(document, position, where),
        quadratic,
        _number(document, "offset", where),
        scale,
        domain,
    )
    return model_from_energy(energy, where)


def write_bqpjson(
    model: IsingModel, path: ModelPath, *, offset: float = 0.0, scale: float = 1.0, domain: str = "spin"
) -> None:
    """Write a model as bqpjson; ids are 0, 1, ... and the names go into the metadata.

    Parameters
    ----------
    model : IsingModel
    path : path-like
        Replaced when the file is complete.
    offset, scale, domain
        See `isingmap.io.model_content.ModelFile`; all are kept.

    Raises
    ------
    ModelError
        If domain or scale are not such, a coefficient is too large, or a name has no UTF-8 form.
    """
    energy = energy_from_model(model, offset=offset, scale=scale, domain=domain)
    pairs = zip(energy.edges, energy.quadratic, strict=True)
    document = {
        "version": VERSION,
        "id": 0,
        "metadata": {NAMES_KEY: list(model.names)},
        "variable_ids": list(range(model.n_spins)),
        "variable_domain": domain,
        "scale": energy.scale,
        "offset": energy.offset,
        "linear_terms": [{"id": i, "coeff": value} for i, value in enumerate(energy.linear) if value],
        "quadratic_terms": [{"id_tail": i, "id_head": j, "coeff": value} for (i, j), value in pairs],
    }
    write_json(path, document)


def _positions(document: dict, where: str) -> dict[int, int]:
    """Position of each variable id."""
    ids = _list(document, "variable_ids", where)
    for k, label in enumerate(ids):
        if type(label) is not int or label < 0:
            raise FileFormatError(f"{where}: variable_ids[{k}] must be a whole number >= 0, got {shown(label)}")
    position = {label: k for k, label in enumerate(ids)}
    if len(position) < len(ids):
        repeated = next(label for k, label in enumerate(ids) if position[label] != k)
        raise FileFormatError(f'{where}: "variable_ids" holds {repeated} more than once')
    return position


def _names(document: dict, position: dict[int, int]) -> tuple[str, ...]:
    """Names that isingmap stored, if they fit, else the ids."""
    metadata = document.get("metadata")
    names = metadata.get(NAMES_KEY) if isinstance(metadata, dict) else None
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        names = []
    fitting = len(set(names)) == len(names) == len(position)
    return tuple(names) if fitting else tuple(str(label) for label in position)


def _linear(document: dict, position: dict[int, int], where: str) -> list[float]:
    linear: dict[int, float] = {}
    for place, term in _terms(document, "linear_terms", where):
        (i,) = _ends(term, ("id",), position, place)
        if i in linear:
            raise FileFormatError(f"{place}: a second term for variable {term['id']}; give each once")
        linear[i] = _number(term, "coeff", place)
    return [linear.get(i, 0.0) for i in range(len(position))]


def _quadratic(document: dict, position: dict[int, int], where: str) -> tuple[list, list[float]]:
    quadratic: dict[tuple[int, int], float] = {}
    for place, term in _terms(document, "quadratic_terms", where):
        i, j = sorted(_ends(term, ("id_tail", "id_head"), position, place))
        if i == j:
            raise FileFormatError(f"{place}: id_tail and id_head are both {term['id_head']}")
        if (i, j) in quadratic:
            raise FileFormatError(f"{place}: a second term for this pair of variables; give each pair once")
        quadratic[i, j] = _number(term, "coeff", place)
    return list(quadratic), list(quadratic.values())


def _terms(document: dict, key: str, where: str):
    """(place for messages, term) of each term of a list of objects."""
    for k, term in enumerate(_list(document, key, where)):
        if not isinstance(term, dict):
            raise FileFormatError(f"{where}: {key}[{k}] must be an object, got {shown(term)}")
        yield f"{where}: {key}[{k}]", term


def _ends(term: dict, keys: tuple[str, ...], position: dict[int, int], place: str) -> list[int]:
    for key in keys:
        label = term.get(key)
        if type(label) is not int or label not in position:
            raise FileFormatError(f'{place}: "{key}" must be one of variable_ids, got {shown(label)}')
    return [position[term[key]] for key in keys]


def _list(document: dict, key: str, where: str) -> list:
    values = document.get(key)
    if not isinstance(values, list):
        raise FileFormatError(f'{where}: expected a list under "{key}", got {shown(values)}')
    return values


def _number(document: dict, key: str, where: str) -> float:
    value = document.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise FileFormatError(f'{where}: expected a number under "{key}", got {shown(value)}')
    return float(value)


# --- the format -------------------------------------------------------------------------------------------


def _read(path: ModelPath, domain: str | None) -> ModelFile:
    return read_bqpjson(path)


def _write(content: ModelFile, path: ModelPath, domain: str) -> None:
    write_bqpjson(content.model, path, offset=content.offset, scale=content.scale, domain=domain)


def _recognises(text: str) -> bool:
    return "variable_domain" in object_or_nothing(text)


FUNCTIONS = FormatFunctions(_read, _write, _recognises)
