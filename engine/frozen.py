"""`dataclass`, `field`, `fields` and `replace` as in `dataclasses`, made when they are needed: for a quick start.

The standard decorator compiles half a dozen functions for every class, half a second for all classes of Fiel. Here a
class is given functions that all share, and its `__init__` is compiled when its first object is made. What type
checkers see, and what `dataclasses` itself finds of such a class, is the same; `tests/test_frozen.py` holds it to that.
Not here: `order`, `kw_only`, `InitVar`, and `__match_args__` of fields without `__init__`.
"""

from __future__ import annotations

TYPE_CHECKING = False  # of `typing`, which is a tenth of the time that `fiel --help` takes

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
    from dataclasses import field as field
    from dataclasses import fields as fields
    from dataclasses import is_dataclass as is_dataclass
    from dataclasses import replace as replace
else:
    from operator import attrgetter as _attrgetter

    _NOTHING = object()
    _OWN = "__fiel_fields__"
    _set = object.__setattr__

    class _Field:
        """What is known of a field."""

        __slots__ = ("compare", "default", "factory", "name", "repr", "type")

        def __init__(self, default=_NOTHING, factory=_NOTHING, compare=True, repr=True) -> None:
            self.default, self.factory, self.compare, self.repr = default, factory, compare, repr
            self.name, self.type = "", None

    def field(*, default=_NOTHING, default_factory=_NOTHING, compare=True, repr=True):
        return _Field(default, default_factory, compare, repr)

    def fields(one):
        """In their order."""
        return tuple(getattr(one, _OWN).values())

    def is_dataclass(one) -> bool:
        return hasattr(one, _OWN) or hasattr(one, "__dataclass_fields__")

    def replace(one, **changes):
        own = getattr(one, _OWN, None)
        if own is None:
            import dataclasses

            return dataclasses.replace(one, **changes)
        for name in own:
            if name not in changes:
                changes[name] = getattr(one, name)
        return one.__class__(**changes)

    def dataclass(cls=None, /, *, frozen=False, slots=False, eq=True):
        def made(given):
            return _made(given, frozen, slots, eq)

        return made if cls is None else made(cls)

    class _AsFields:
        """`__dataclass_fields__`, for `dataclasses` and whoever asks it."""

        def __get__(self, one, kind):
            import dataclasses

            found = {}
            for own in fields(kind):
                given = {"compare": own.compare, "repr": own.repr}
                if own.default is not _NOTHING:
                    given["default"] = own.default
                elif own.factory is not _NOTHING:
                    given["default_factory"] = own.factory
                same = dataclasses.field(**given)
                same.name, same.type, same._field_type = own.name, own.type, dataclasses._FIELD
                found[own.name] = same
            return found

    class _AsParams:
        """`__dataclass_params__`, from which `dataclasses` tells what is frozen when a class of its own inherits."""

        def __init__(self, frozen, eq, slots) -> None:
            self.init = self.repr = True
            self.order = self.unsafe_hash = False
            self.frozen, self.eq, self.slots = frozen, eq, slots

    def _made(cls, frozen, slots, eq):
        found = {}
        for base in cls.__mro__[-1:0:-1]:
            found.update(base.__dict__.get(_OWN, ()))
        own = {}
        for name, kind in cls.__annotations__.items():
            if str(kind).startswith(("ClassVar", "InitVar")):
                raise TypeError(f"{name}: {kind} is for `dataclasses`")
            default = cls.__dict__.get(name, _NOTHING)
            one = default if isinstance(default, _Field) else _Field(default)
            if one.default.__class__ in (list, dict, set):
                raise TypeError(f"{name}: a default that all objects would share")
            one.name, one.type = name, kind
            own[name] = one
        found.update(own)
        for name, one in own.items():
            if one.default is not _NOTHING:
                setattr(cls, name, one.default)
            elif name in cls.__dict__:
                delattr(cls, name)
        setattr(cls, _OWN, found)
        cls.__dataclass_fields__ = _AsFields()
        cls.__dataclass_params__ = _AsParams(frozen, eq, slots)
        cls.__match_args__ = tuple(found)
        if slots:
            cls = _with_slots(cls, found)
        _add_functions(cls, found, frozen, eq)
        if slots and frozen:
            cls.__getstate__, cls.__setstate__ = _get_state, _set_state
        return cls

    def _with_slots(cls, found):
        inherited = {name for base in cls.__mro__[1:-1] for name in base.__dict__.get("__slots__", ())}
        inside = dict(cls.__dict__)
        inside["__slots__"] = tuple(name for name in found if name not in inherited)
        for name in (*found, "__dict__", "__weakref__"):
            inside.pop(name, None)
        again = type(cls)(cls.__name__, cls.__bases__, inside)
        again.__qualname__ = cls.__qualname__
        return again

    def _add_functions(cls, found, frozen, eq) -> None:
        cls.__init__ = _first_init(cls, found, frozen)
        if "__repr__" not in cls.__dict__:
            cls.__repr__ = _repr
        if eq and "__eq__" not in cls.__dict__:
            parts = _parts([name for name, one in found.items() if one.compare])
            cls.__eq__ = _equal(parts)
            if cls.__dict__.get("__hash__") is None:
                cls.__hash__ = (lambda self: hash(parts(self))) if frozen else None
        if frozen:
            cls.__setattr__, cls.__delattr__ = _refuse_to_set, _refuse_to_delete

    def _first_init(cls, found, frozen):
        """An `__init__` that makes the real one, and has it take its place."""

        def __init__(self, *args, **kwargs) -> None:
            made = _init(cls, found, frozen)
            cls.__init__ = made
            made(self, *args, **kwargs)

        return __init__

    def _init(cls, found, frozen):
        known = {"_set": _set, "_nothing": _NOTHING}
        heads, body = [], []
        for name, one in found.items():
            known[f"_d_{name}"] = one.default if one.factory is _NOTHING else one.factory
            value = name
            if one.factory is not _NOTHING:
                heads.append(f"{name}=_nothing")
                value = f"_d_{name}() if {name} is _nothing else {name}"
            else:
                heads.append(name if one.default is _NOTHING else f"{name}=_d_{name}")
            slot = getattr(cls, name, None)
            if frozen and type(slot).__name__ == "member_descriptor":
                # Half the time of `object.__setattr__`, which looks the slot up by its name.
                known[f"_s_{name}"] = slot.__set__
                body.append(f"_s_{name}(self, {value})")
            else:
                body.append(f"_set(self, {name!r}, {value})" if frozen else f"self.{name} = {value}")
        if hasattr(cls, "__post_init__"):
            body.append("self.__post_init__()")
        exec(f"def __init__(self, {', '.join(heads)}):\n " + "\n ".join(body or ["pass"]), known)
        made = known["__init__"]
        made.__qualname__, made.__module__ = f"{cls.__qualname__}.__init__", cls.__module__
        return made

    def _parts(names):
        """The values of some fields, as a tuple."""
        if len(names) > 1:
            return _attrgetter(*names)
        return (lambda self: (getattr(self, names[0]),)) if names else (lambda self: ())

    def _equal(parts):
        def __eq__(self, other):
            return parts(self) == parts(other) if other.__class__ is self.__class__ else NotImplemented

        return __eq__

    def _repr(self) -> str:
        shown = ", ".join(f"{one.name}={getattr(self, one.name)!r}" for one in fields(self) if one.repr)
        return f"{self.__class__.__qualname__}({shown})"

    def _refuse_to_set(self, name, value) -> None:
        import dataclasses

        raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")

    def _refuse_to_delete(self, name) -> None:
        import dataclasses

        raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")

    def _get_state(self):
        return [getattr(self, name) for name in getattr(self, _OWN)]

    def _set_state(self, state) -> None:
        for name, value in zip(getattr(self, _OWN), state, strict=True):
            _set(self, name, value)
