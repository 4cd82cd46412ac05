"""Describes a stream in the Croissant format: JSON-LD that dataset search engines read.

It follows version 1.0 of https://docs.mlcommons.org/croissant/docs/croissant-spec.html and has the card, the digest,
the archive with its hash, and the tasks and their classes as two tables. No data are read or fetched for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lcbench.contract.specs import Params, RawData, StreamSpec, TaskShape
from lcbench.registry.names import format_entry

FORMAT = "http://mlcommons.org/croissant/1.0"
_PREFIXES = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "sc": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "dct": "http://purl.org/dc/terms/",
    "conformsTo": "dct:conformsTo",
}
_TERMS = (
    "citeAs column equivalentProperty extract field fileProperty fileObject fileSet format includes isLiveDataset "
    "jsonPath key md5 parentField path recordSet references regex repeated replace samplingRate separator source "
    "subField transform"
)
_JSON_TERMS = {name: {"@id": f"cr:{name}", "@type": "@json"} for name in ("data", "examples")}
CONTEXT = {
    **_PREFIXES,
    **_JSON_TERMS,
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    **{name: f"cr:{name}" for name in _TERMS.split()},
}


def croissant(spec: StreamSpec, params: Params, shapes: Sequence[TaskShape]) -> dict[str, Any]:
    """The Croissant description of a stream with these parameters and tasks, ready for `json.dumps`."""
    card, raw = spec.card, spec.data
    described = {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "name": spec.name,
        "conformsTo": FORMAT,
        "identifier": spec.digest,
        "description": " ".join([card.what or spec.summary, *card.notes]),
        "license": card.licence,
        "citeAs": card.source,
        "url": _address(raw) if raw else "",
        "alternateName": format_entry(spec.name, params),
        "distribution": list(_files(raw)) if raw else [],
        "recordSet": list(_tables(shapes)),
    }
    return {key: value for key, value in described.items() if value or key == "distribution"}


def _address(raw: RawData) -> str:
    """The address of the archive, or the package as a package URL (pkg:pypi/NAME@VERSION)."""
    return raw.url or ("pkg:pypi/" + raw.requirement.replace("==", "@") if raw.requirement else "")


def _files(raw: RawData) -> Iterator[dict[str, Any]]:
    """The archive, if its hash is pinned: Croissant takes no file without one."""
    if not raw.sha256:
        return
    archive = raw.archives[0]
    inside = f" Read from it: {', '.join(raw.files)}." if raw.files else ""
    yield {
        "@type": "cr:FileObject",
        "@id": archive,
        "name": archive,
        "description": f"The documents in it have the content digest {raw.digest}.{inside}",
        "contentUrl": _address(raw),
        "contentSize": f"{raw.size} B",
        "encodingFormat": "application/zip" if archive.endswith((".whl", ".zip")) else "application/x-tar",
        "sha256": raw.sha256,
    }


def _tables(shapes: Sequence[TaskShape]) -> Iterator[dict[str, Any]]:
    """The tasks with their sizes, as far as these are known without the data; and the classes of each task."""
    sizes = {
        name: [getattr(shape, name) for shape in shapes]
        for name in ("samples", "features", "clusters")
        if all(getattr(shape, name) is not None for shape in shapes)
    }
    yield _table("tasks", "The tasks in their order.", {"name": [shape.name for shape in shapes], **sizes})
    classes = [(shape.name, name, count) for shape in shapes for name, count in shape.classes]
    if classes:
        task, name, samples = map(list, zip(*classes, strict=True))
        yield _table("classes", "The true classes of each task.", {"task": task, "name": name, "samples": samples})


def _table(name: str, description: str, columns: Mapping[str, list[Any]]) -> dict[str, Any]:
    """A record set whose records stand in the description itself."""
    kinds = {column: "sc:Integer" if isinstance(values[0], int) else "sc:Text" for column, values in columns.items()}
    return {
        "@type": "cr:RecordSet",
        "@id": name,
        "name": name,
        "description": description,
        "field": [
            {"@type": "cr:Field", "@id": f"{name}/{column}", "name": f"{name}/{column}", "dataType": kind}
            for column, kind in kinds.items()
        ],
        "data": [
            dict(zip((f"{name}/{column}" for column in columns), row, strict=True))
            for row in zip(*columns.values(), strict=True)
        ],
    }
