"""From folders to packs: every file is read, checked and built, and all problems of all files come back together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from ..errors import Place, PolicyError, Problem, did_you_mean, problem_order
from ..frozen import dataclass, field
from ..model import Pack, Parameter, Policy, Reference, Relation, View, Waiver
from ..report_plan import ReportPlan
from ..sensor import Sensor
from .across import check_names, check_shared_references, check_shared_relations
from .files import contents, has_policies_of, missing_relations, pack_folders, shown_path
from .hints import hint, policy_hint, waivers_hint
from .nodes import Scalar
from .parameters import read_parameters
from .policy import ReadPolicy, read_policy
from .reader import Reader
from .reading import EXPRESSION_KEYS, parse_bytes, read_source, read_text
from .references import read_references
from .relations import read_relations
from .reports import Known, read_report
from .sensors import read_sensors
from .shape import Hint, check_shape
from .source import Source
from .unfinished import unfinished
from .waivers import read_waivers
from .words import shown

__all__ = ["Loaded", "load_packs", "policy_of_bytes", "shown_path"]


@dataclass(frozen=True, slots=True)
class Loaded:
    """What was loaded, and every problem, sorted by place. With an error among them nothing may be judged.

    `unusable` names, for each pack, the relations, parameters and policies that are declared and could not be read:
    whoever misses one of them need not report it again.
    """

    packs: Mapping[str, Pack]
    problems: tuple[Problem, ...]
    unusable: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def whole(self) -> Mapping[str, Pack]:
        """The packs. Raises PolicyError if there is an error."""
        errors = [problem for problem in self.problems if problem.is_error]
        if errors:
            raise PolicyError(errors)
        return self.packs


def load_packs(root: Path, only: Sequence[str] | None = None) -> Loaded:
    """Load the packs under `root` (or the one pack that `root` is); `only` names those that are wanted.

    Never raises for an author's mistake. A folder without packs, and a name in `only` that is no pack, are problems.
    """
    problems: list[Problem] = []
    folders = pack_folders(root, problems)
    if only is not None:
        for name in only:
            if name not in folders:
                message = f"there is no pack {shown(name)} in `{shown_path(root)}`"
                problems.append(Problem("unknown-pack", message, help=did_you_mean(name, folders, "packs")))
        folders = {name: folder for name, folder in folders.items() if name in only}
    works = [_PackWork(name, folder) for name, folder in sorted(folders.items())]
    packs: dict[str, Pack] = {}
    unusable: dict[str, frozenset[str]] = {}
    for work in works:
        pack = work.load()
        problems.extend(work.problems)
        unusable[work.name] = frozenset(work.unusable)
        if pack is not None:
            packs[work.name] = pack
    problems.extend(check_shared_relations(packs.values()))
    problems.extend(check_shared_references(packs.values()))
    return Loaded(packs, tuple(sorted(problems, key=problem_order)), unusable)


def policy_of_bytes(data: bytes, policy: Policy) -> Policy | None:
    """The policy as another text of its file has it; None if there is a problem in that text."""
    source = parse_bytes(data, policy.file, EXPRESSION_KEYS)
    shape = check_shape(source, "policy")
    reader = Reader(source, shape)
    read = read_policy(reader, *policy.id.split("."))
    problems = (*source.problems, *shape.problems, *reader.problems)
    return read.policy if not any(p.is_error for p in problems) else None


class _PackWork:
    """Loading one pack: its files, and what was found in them."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name = name
        self.folder = folder
        self.problems: list[Problem] = []
        self.unusable: set[str] = set()
        self.said: str | None = None
        """The name in `pack.yaml`, if it is not that of the folder."""
        self.misnamed: frozenset[str] = frozenset()
        """Files of a pack that are there under a name that is nearly theirs."""
        self.declared: dict[str, list[tuple[str, Place, str]]] = {}

    def load(self) -> Pack | None:
        """The pack, or None if its `pack.yaml` or a file of what policies name could not be read."""
        head = self._pack_file()
        content = contents(self.folder, self.said is not None)
        self.problems.extend(content.problems)
        self.misnamed = content.misnamed
        relations = self._relations()
        parameters = self._parameters()
        waivers = self._waivers(content.policies)
        references = self._references()
        sensors = self._sensors(relations or {}, references or {})
        views = self._views(relations, parameters, references)
        policies: dict[str, Policy] = {}
        for path in content.policies:
            read = self._policy(path, relations or {})
            if read.policy is not None:
                policies[path.stem] = read.policy
            else:
                self.unusable.add(path.stem)
        self.problems.extend(check_names(self.declared))
        if (
            head is None
            or relations is None
            or parameters is None
            or references is None
            or sensors is None
            or views is None
        ):
            return None
        title, version, licence, cannot_see = head
        return Pack(
            self.name,
            title,
            version,
            licence,
            shown_path(self.folder),
            relations,
            parameters,
            policies,
            cannot_see,
            waivers,
            references,
            sensors,
            views,
            self._report(relations, references, parameters, sensors, views, policies),
        )

    def _read(self, name: str, kind: str, hint: Hint = hint) -> Reader | None:
        """A file that was read and compared with its schema; None if it is not there. Its problems are kept."""
        path = self.folder / name
        if not path.exists() and not path.is_symlink():
            return None
        source: Source = read_source(path, shown_path(path), EXPRESSION_KEYS if kind == "policy" else ())
        shape = check_shape(source, kind, hint)
        self.problems.extend(source.problems)
        self.problems.extend(shape.problems)
        self.problems.extend(unfinished(source, kind))
        return Reader(source, shape)

    def _declare(self, keys: Mapping[str, Scalar], what: str, reader: Reader) -> None:
        for name, key in keys.items():
            entry = (what, reader.source.place(key), reader.source.line_text(key.line))
            self.declared.setdefault(name, []).append(entry)

    def _pack_file(self) -> tuple[str, str, str, str | None] | None:
        reader = self._read("pack.yaml", "pack")
        root = reader.root() if reader is not None else None
        if reader is None or root is None:
            return None
        name = reader.scalar(root, "pack")
        if name is not None and name.text != self.name:
            self.said = name.text
            message = f"the folder of this pack is `{self.name}`, not `{name.text}`"
            help = f"write `pack: {self.name}`, or name the folder `{name.text}`"
            if has_policies_of(self.folder, name.text):
                inner = shown_path(self.folder / name.text)
                help = f"move these files into `{inner}/`, or name the folder `{name.text}`"
            reader.add_problem("pack-name", message, name, help)
        elif name is not None:
            reader.check_name(name)
        self.problems.extend(reader.problems)
        title, version, licence = (reader.text(root, key) for key in ("title", "version", "licence"))
        if name is None or title is None or version is None or licence is None or not reader.scalar(root, "format"):
            return None
        return title, version, licence, reader.text(root, "cannot_see")

    def _relations(self) -> dict[str, Relation] | None:
        reader = self._read("relations.yaml", "relations")
        if reader is None:
            if "relations.yaml" not in self.misnamed:
                self.problems.append(missing_relations(self.folder))
            return None
        relations, declared = read_relations(reader)
        self._declare(declared, "a relation", reader)
        self.unusable |= set(declared) - set(relations)
        self.problems.extend(reader.problems)
        return relations if reader.root() is not None else None

    def _parameters(self) -> dict[str, Parameter] | None:
        """The parameters of the pack; None if there are some that could not be read."""
        reader = self._read("parameters.yaml", "parameters")
        root = reader.root() if reader is not None else None
        if reader is None:
            return None if "parameters.yaml" in self.misnamed else {}
        if root is None:
            return None
        parameters, keys = read_parameters(reader, root)
        self._declare(keys, "a parameter of the pack", reader)
        self.unusable |= set(keys) - set(parameters)
        self.problems.extend(reader.problems)
        return parameters

    def _waivers(self, policies: Sequence[Path]) -> tuple[Waiver, ...]:
        names = [f"{self.said or self.name}.{path.stem}" for path in policies]
        reader = self._read("waivers.yaml", "waivers", waivers_hint(names))
        if reader is None:
            return ()
        waivers = read_waivers(reader)
        self.problems.extend(reader.problems)
        return waivers

    def _references(self) -> dict[str, Reference] | None:
        """The references of the pack; None if there are some that could not be read."""
        reader = self._read("references.yaml", "references")
        if reader is None:
            return None if "references.yaml" in self.misnamed else {}
        references, declared = read_references(reader)
        self._declare(declared, "a reference", reader)
        self.unusable |= set(declared) - set(references)
        self.problems.extend(reader.problems)
        return references if reader.root() is not None else None

    def _sensors(
        self, relations: Mapping[str, Relation], references: Mapping[str, Reference]
    ) -> dict[str, Sensor] | None:
        """The sensors of the pack; None if there are some that could not be read."""
        reader = self._read("sensors.yaml", "sensors")
        if reader is None:
            return None if "sensors.yaml" in self.misnamed else {}
        sensors, declared = read_sensors(reader, self.folder, relations, references)
        self.unusable |= set(declared) - set(sensors)
        self.problems.extend(reader.problems)
        return sensors if reader.root() is not None else None

    def _views(
        self,
        relations: Mapping[str, Relation] | None,
        parameters: Mapping[str, Parameter] | None,
        references: Mapping[str, Reference] | None,
    ) -> dict[str, View] | None:
        """The views of the pack; None if there are some that could not be read."""
        path = self.folder / "views.sql"
        if not path.exists() and not path.is_symlink():
            return None if "views.sql" in self.misnamed else {}
        from .views import ViewReader

        source = read_text(path, shown_path(path))
        self.problems.extend(source.problems)
        # What could not be read is said already; a view that names it would say so again.
        if self.unusable or source.problems or relations is None or parameters is None or references is None:
            return None
        given = {**relations, **{name: one.relation for name, one in references.items()}}
        reader = ViewReader(source.text, source.file, given, parameters)
        views = reader.read()
        self.problems.extend(reader.problems)
        for name, place in reader.declared:
            self.declared.setdefault(name, []).append(("a view", place, source.line_text(place.line)))
        self.unusable |= {name for name, _ in reader.declared} - set(views)
        return views

    def _report(
        self,
        relations: Mapping[str, Relation],
        references: Mapping[str, Reference],
        parameters: Mapping[str, Parameter],
        sensors: Mapping[str, Sensor],
        views: Mapping[str, View],
        policies: Mapping[str, Policy],
    ) -> ReportPlan | None:
        """What the pack says of its report; None if it says nothing, or if there is a problem with it."""
        reader = self._read("report.yaml", "report")
        if reader is None:
            return None
        tables = {**relations, **{name: view.relation for name, view in views.items()}}
        # What could not be read is said already; a report that names it would say so again.
        judged = {name: policy.relation for name, policy in policies.items()}
        known = Known(tables, relations, references, parameters, sensors, judged)
        plan = read_report(reader, known) if not self.unusable else None
        self.problems.extend(reader.problems)
        return plan

    def _policy(self, path: Path, relations: Mapping[str, Relation]) -> ReadPolicy:
        columns = frozenset(name for relation in relations.values() for name in relation.columns)
        reader = self._read(path.name, "policy", policy_hint(f"{self.said or self.name}.{path.stem}", columns))
        assert reader is not None
        read = read_policy(reader, self.name, path.stem, self.said)
        self.declared.setdefault(path.stem, []).append(
            ("a policy", Place(reader.source.file, 1, 1), reader.source.line_text(1))
        )
        for name, key in read.param_keys.items():
            # Parameters of a policy may bear the names of another policy's, not of what the whole pack sees.
            entry = (f"a parameter of {path.stem}", reader.source.place(key), reader.source.line_text(key.line))
            self.declared.setdefault(name, []).append(entry)
        self.problems.extend(reader.problems)
        return read
