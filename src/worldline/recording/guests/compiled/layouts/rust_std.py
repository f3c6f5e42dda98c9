"""The types of Rust's std, and its enums and tuples, as shapes, by the names of fields; the rest is opaque."""

from __future__ import annotations

from collections.abc import Callable

from ..dwarf import DISCR, DISCR_VALUE, NAME, TAG, Die
from .dynamic import digest, dynamic
from .shape import DICT, LIST, SET, Layouts, LibraryShape, Unknown, base_name, location


def shape(layouts: Layouts, die: Die) -> LibraryShape | None:
    """The shape of a struct by its name; None where it has none of its own."""
    name = die.get(NAME) or ""
    try:
        if any(child.tag == TAG["variant_part"] for child in layouts.dwarf.children(die)):
            return _enum(layouts, die)
        if name.startswith("("):
            return _tuple(layouts, die)
        if name.startswith(("&", "alloc::boxed::Box<", "*const ", "*mut ")):
            return _wide(layouts, die, name)
        find = _FINDERS.get(base_name(die))
        return find(layouts, die) if find else None
    except (Unknown, IndexError):
        return None


def _enum(layouts: Layouts, die: Die) -> LibraryShape:
    """Variants by discriminant, which may be a niche: (number, its size), then of each (has a value, value, offset)."""
    part = next(child for child in layouts.dwarf.children(die) if child.tag == TAG["variant_part"])
    numbers: list[int] = [0, 0]
    if part.get(DISCR) is not None:
        member = layouts.dwarf.at(part.get(DISCR), part.unit)
        numbers = [location(member), layouts.size(layouts.target(member))]
    types: list[Die] = []
    for variant in layouts.dwarf.children(part):
        if variant.tag != TAG["variant"]:
            continue
        member = next(child for child in layouts.dwarf.children(variant) if child.tag == TAG["member"])
        value = variant.get(DISCR_VALUE)
        numbers += [int(value is not None), value or 0, location(member)]
        types.append(layouts.target(member))
    return LibraryShape("enum", tuple(numbers), tuple(types), base_name(die))


def _tuple(layouts: Layouts, die: Die) -> LibraryShape:
    members = [child for child, _ in layouts.members(die)]
    members.sort(key=lambda child: int((child.get(NAME) or "__0")[2:]))
    return LibraryShape("tuple", tuple(map(location, members)), tuple(map(layouts.target, members)))


def _wide(layouts: Layouts, die: Die, name: str) -> LibraryShape:
    """A fat pointer: text, a slice, or an object with a table of methods."""
    names = {child.get(NAME) for child, _ in layouts.members(die)}
    if "vtable" in names:
        return dynamic(layouts, die, name, 0, 0)
    pointer, length = layouts.field(die, "data_ptr"), layouts.field(die, "length")
    if name.endswith(("str", "str>", "str, alloc::alloc::Global>")) and layouts.size(layouts.target(pointer.type)) == 1:
        return LibraryShape("text", (pointer.offset, length.offset))
    return LibraryShape("span", (pointer.offset, length.offset, 0), (layouts.target(pointer.type),))


_COUNTS = 16  # bytes before a value that Rc and Arc own
_POINTER = ("buf", "inner", "ptr", "pointer", "pointer")


def _vec(layouts: Layouts, die: Die) -> LibraryShape:
    pointer, length = layouts.field(die, *_POINTER), layouts.field(die, "len")
    return LibraryShape("span", (pointer.offset, length.offset, 0), (layouts.arguments(die)[0],))


def _string(layouts: Layouts, die: Die) -> LibraryShape:
    pointer, length = layouts.field(die, "vec", *_POINTER), layouts.field(die, "vec", "len")
    return LibraryShape("text", (pointer.offset, length.offset))


def _vec_deque(layouts: Layouts, die: Die) -> LibraryShape:
    pointer, room = layouts.field(die, *_POINTER), layouts.field(die, "buf", "inner", "cap")
    head, length = layouts.field(die, "head"), layouts.field(die, "len")
    return LibraryShape("ring", (pointer.offset, room.offset, head.offset, length.offset), (layouts.arguments(die)[0],))


def _table(style: int, *path: str) -> Callable[[Layouts, Die], LibraryShape]:
    def find(layouts: Layouts, die: Die) -> LibraryShape:
        raw = layouts.field(die, *path, "table")
        inner = layouts.field(raw.type, "table")
        names = (("ctrl", "pointer"), ("bucket_mask",), ("items",))
        numbers = [raw.offset + inner.offset + layouts.field(inner.type, *name).offset for name in names]
        return LibraryShape("buckets", (*numbers, style), (layouts.arguments(raw.type)[0],))

    return find


def _btree(style: int, *path: str) -> Callable[[Layouts, Die], LibraryShape]:
    def find(layouts: Layouts, die: Die) -> LibraryShape:
        whole = layouts.field(die, *path)
        key, value = layouts.arguments(whole.type)[:2]
        root, length = layouts.field(whole.type, "root"), layouts.field(whole.type, "length")
        reference = _some_payload(layouts, root.type)
        node, height = layouts.field(reference, "node", "pointer"), layouts.field(reference, "height")
        leaf = layouts.target(node.type)
        inner = layouts.target(
            layouts.field(_some_payload(layouts, layouts.field(leaf, "parent").type), "pointer").type
        )
        parts = [layouts.field(leaf, name).offset for name in ("keys", "vals", "len")]
        data, edges = layouts.field(inner, "data"), layouts.field(inner, "edges")
        if data.offset:
            raise Unknown("a node's leaf is not its beginning")
        at = whole.offset + root.offset
        numbers = (at + node.offset, at + height.offset, whole.offset + length.offset, *parts, edges.offset, style)
        return LibraryShape("btree", numbers, (key, value))

    return find


def _some_payload(layouts: Layouts, die: Die) -> Die:
    """What an Option that is a niche holds; it lies where the Option does."""
    part = next((child for child in layouts.dwarf.children(die) if child.tag == TAG["variant_part"]), None)
    if part is None:
        raise Unknown("no variants")
    for variant in layouts.dwarf.children(part):
        for member in layouts.dwarf.children(variant):
            if member.get(NAME) == "Some" and not location(member):
                inner = layouts.field(layouts.target(member), "__0")
                if not inner.offset:
                    return inner.type
    raise Unknown("no Some")


def _linked_list(layouts: Layouts, die: Die) -> LibraryShape:
    head, length = layouts.field(die, "head"), layouts.field(die, "len")
    node = layouts.target(layouts.field(_some_payload(layouts, head.type), "pointer").type)
    link, element = layouts.field(node, "next"), layouts.field(node, "element")
    if link.offset:
        return LibraryShape(
            "chain", (head.offset, length.offset, 0, element.offset, LIST, link.offset), (element.type,)
        )
    return LibraryShape("chain", (head.offset, length.offset, 0, element.offset, LIST), (element.type,))


def _counted(*path: str) -> Callable[[Layouts, Die], LibraryShape]:
    def find(layouts: Layouts, die: Die) -> LibraryShape:
        pointer = layouts.field(die, "ptr", "pointer")
        if pointer.type.tag != TAG["pointer"]:
            return dynamic(layouts, pointer.type, pointer.type.get(NAME) or "", pointer.offset, _COUNTS)
        value = layouts.field(layouts.target(pointer.type), *path)
        return LibraryShape("owner", (pointer.offset, value.offset), (value.type,))

    return find


def _weak(*path: str) -> Callable[[Layouts, Die], LibraryShape]:
    def find(layouts: Layouts, die: Die) -> LibraryShape:
        pointer = layouts.field(die, "ptr", "pointer")
        if pointer.type.tag != TAG["pointer"]:
            raise Unknown("a fat pointer")
        target = layouts.target(pointer.type)
        strong, value = layouts.field(target, "strong"), layouts.field(target, *path)
        numbers = (pointer.offset, value.offset, pointer.offset, strong.offset, 8)
        return LibraryShape("weak", numbers, (value.type,))

    return find


def _weak_of_either(layouts: Layouts, die: Die) -> LibraryShape:
    """Rc's Weak and Arc's have one name."""
    try:
        return _weak("value")(layouts, die)
    except Unknown:
        return _weak("data")(layouts, die)


def _rest(*end: str) -> Callable[[Layouts, Die], LibraryShape]:
    """The shape of an iterator over elements side by side: those that are left."""

    def find(layouts: Layouts, die: Die) -> LibraryShape:
        element = layouts.arguments(die)[0]
        if not layouts.size(element):
            raise Unknown("elements without a size")
        first, last = layouts.field(die, "ptr", "pointer"), layouts.field(die, *end)
        return LibraryShape("span", (first.offset, last.offset, 1), (element,))

    return find


def _chars(layouts: Layouts, die: Die) -> LibraryShape:
    rest = layouts.field(die, "iter")
    first, last = layouts.field(rest.type, "ptr", "pointer"), layouts.field(rest.type, "end_or_len")
    return LibraryShape("text", (rest.offset + first.offset, rest.offset + last.offset, 1))


def _inner(*path: str) -> Callable[[Layouts, Die], LibraryShape]:
    def find(layouts: Layouts, die: Die) -> LibraryShape:
        part = layouts.field(die, *path)
        return LibraryShape("inner", (part.offset,), (part.type,))

    return find


_FINDERS: dict[str, Callable[[Layouts, Die], LibraryShape]] = {
    "Vec": _vec,
    "String": _string,
    "VecDeque": _vec_deque,
    "BinaryHeap": _inner("data"),
    "HashMap": _table(DICT, "base"),
    "HashSet": _table(SET, "base", "map"),
    "BTreeMap": _btree(DICT),
    "BTreeSet": _btree(SET, "map"),
    "LinkedList": _linked_list,
    "Rc": _counted("value"),
    "Arc": _counted("data"),
    "RefCell": _inner("value", "value"),
    "Cell": _inner("value", "value"),
    "UnsafeCell": _inner("value"),
    "Mutex": _inner("data", "value"),
    "RwLock": _inner("data", "value"),
    "ManuallyDrop": _inner("value"),
    "NonNull": _inner("pointer"),
    "Weak": _weak_of_either,
    "IntoIter": _rest("end"),
    "Iter": _rest("end_or_len"),
    "IterMut": _rest("end_or_len"),
    "Chars": _chars,
    "Nanoseconds": _inner("__0"),
    "NonZero": _inner("__0", "__0"),
    **dict.fromkeys(("Split", "SplitWhitespace", "SplitInclusive", "SplitTerminator", "SplitN", "Lines"), digest),
    "Ref": _inner("value"),
    "RefMut": _inner("value"),
    "MutexGuard": _inner("lock"),
    "Wrapping": _inner("__0"),
    "Reverse": _inner("__0"),
    "Saturating": _inner("__0"),
    "AtomicBool": _inner("v", "value"),
    "AtomicI32": _inner("v", "value"),
    "AtomicU32": _inner("v", "value"),
    "AtomicI64": _inner("v", "value"),
    "AtomicU64": _inner("v", "value"),
    "AtomicUsize": _inner("v", "value"),
    "AtomicIsize": _inner("v", "value"),
}
