"""The containers of libstdc++ (11 to 15) as shapes: found by the names of their fields; what is not here is opaque."""

from __future__ import annotations

import re
from collections.abc import Callable

from ..dwarf import NAME, TAG, TYPE, Die
from .dynamic import any_holder, digest, function_holder
from .shape import DICT, LIST, SET, Layouts, LibraryShape, Part, Unknown, base_name, location


def shape(layouts: Layouts, die: Die) -> LibraryShape | None:
    """The shape of a class of namespace std; None where there is none or its fields are other ones."""
    find = _FINDERS.get(base_name(die))
    try:
        return find(layouts, die) if find else None
    except (Unknown, IndexError):
        return None


def _vector(layouts: Layouts, die: Die) -> LibraryShape:
    element = layouts.arguments(die)[0]
    if element.get(NAME) == "bool":
        start, finish = layouts.field(die, "_M_impl", "_M_start"), layouts.field(die, "_M_impl", "_M_finish")
        at, bit = layouts.field(start.type, "_M_p").offset, layouts.field(start.type, "_M_offset").offset
        return LibraryShape("bits", (start.offset + at, start.offset + bit, finish.offset + at, finish.offset + bit))
    start, finish = layouts.field(die, "_M_impl", "_M_start"), layouts.field(die, "_M_impl", "_M_finish")
    return LibraryShape("span", (start.offset, finish.offset, 1), (element,))


def _string(layouts: Layouts, die: Die) -> LibraryShape:
    letter = layouts.arguments(die)[0]
    pointer, length = layouts.field(die, "_M_dataplus", "_M_p"), layouts.field(die, "_M_string_length")
    return _text(layouts, letter, pointer.offset, length.offset)


def _string_view(layouts: Layouts, die: Die) -> LibraryShape:
    letter = layouts.arguments(die)[0]
    return _text(layouts, letter, layouts.field(die, "_M_str").offset, layouts.field(die, "_M_len").offset)


def _text(layouts: Layouts, letter: Die, pointer: int, length: int) -> LibraryShape:
    if layouts.size(letter) != 1:
        return LibraryShape("span", (pointer, length, 0), (letter,))
    return LibraryShape("text", (pointer, length))


def _initializer_list(layouts: Layouts, die: Die) -> LibraryShape:
    first, length = layouts.field(die, "_M_array"), layouts.field(die, "_M_len")
    return LibraryShape("span", (first.offset, length.offset, 0), (layouts.arguments(die)[0],))


def _span(layouts: Layouts, die: Die) -> LibraryShape:
    first, length = layouts.field(die, "_M_ptr"), layouts.field(die, "_M_extent", "_M_extent_value")
    return LibraryShape("span", (first.offset, length.offset, 0), (layouts.arguments(die)[0],))


def _tree(style: int) -> Callable[[Layouts, Die], LibraryShape]:
    def find(layouts: Layouts, die: Die) -> LibraryShape:
        tree = layouts.field(die, "_M_t")
        header = layouts.field(tree.type, "_M_impl", "_M_header")
        count = layouts.field(tree.type, "_M_impl", "_M_node_count")
        links = [layouts.field(header.type, name).offset for name in ("_M_parent", "_M_left", "_M_right")]
        element = layouts.arguments(tree.type)[1]
        numbers = (
            tree.offset + header.offset,
            tree.offset + count.offset,
            *links,
            _behind(layouts, header.type, element),
            style,
        )
        return LibraryShape("tree", numbers, (element,))

    return find


def _hash(style: int) -> Callable[[Layouts, Die], LibraryShape]:
    def find(layouts: Layouts, die: Die) -> LibraryShape:
        table = layouts.field(die, "_M_h")
        first = layouts.field(table.type, "_M_before_begin", "_M_nxt")
        count = layouts.field(table.type, "_M_element_count")
        element = layouts.arguments(table.type)[1]
        node = layouts.field(table.type, "_M_before_begin").type
        value = _behind(layouts, node, element)
        return LibraryShape(
            "chain", (table.offset + first.offset, table.offset + count.offset, 0, value, style), (element,)
        )

    return find


def _behind(layouts: Layouts, node: Die, element: Die) -> int:
    """Where a value lies that a node has behind its links."""
    align = layouts.alignment(element)
    return (layouts.size(node) + align - 1) // align * align


def _list(layouts: Layouts, die: Die) -> LibraryShape:
    node = layouts.field(die, "_M_impl", "_M_node")
    element = layouts.arguments(die)[0]
    count = layouts.field(node.type, "_M_size")
    link = layouts.field(node.type, "_M_next")
    links = next(layouts.target(child) for child, base in layouts.members(node.type) if base)
    return LibraryShape(
        "chain",
        (node.offset + link.offset, node.offset + count.offset, 1, _behind(layouts, links, element), LIST),
        (element,),
    )


def _forward_list(layouts: Layouts, die: Die) -> LibraryShape:
    head = layouts.field(die, "_M_impl", "_M_head")
    element = layouts.arguments(die)[0]
    return LibraryShape("chain", (head.offset, -1, 0, _behind(layouts, head.type, element), LIST), (element,))


def _deque(layouts: Layouts, die: Die) -> LibraryShape:
    start, finish = layouts.field(die, "_M_impl", "_M_start"), layouts.field(die, "_M_impl", "_M_finish")
    parts = [layouts.field(start.type, name).offset for name in ("_M_cur", "_M_first", "_M_last", "_M_node")]
    element = layouts.arguments(die)[0]
    size = layouts.size(element)
    room = 512 // size if size < 512 else 1
    return LibraryShape(
        "deque", (*(start.offset + part for part in parts), *(finish.offset + part for part in parts), room), (element,)
    )


def _inner(*path: str) -> Callable[[Layouts, Die], LibraryShape]:
    def find(layouts: Layouts, die: Die) -> LibraryShape:
        part = layouts.field(die, *path)
        return LibraryShape("inner", (part.offset,), (part.type,))

    return find


def _unique_ptr(layouts: Layouts, die: Die) -> LibraryShape:
    inner = layouts.field(die, "_M_t", "_M_t")
    heads = _heads(layouts, inner.type)
    if not heads or heads[0].type.tag != TAG["pointer"]:
        raise Unknown("no pointer")
    return _owned(layouts, die, inner.offset + heads[0].offset, heads[0].type)


def _shared_ptr(layouts: Layouts, die: Die) -> LibraryShape:
    pointer = layouts.field(die, "_M_ptr")
    return _owned(layouts, die, pointer.offset, pointer.type)


def _weak_ptr(layouts: Layouts, die: Die) -> LibraryShape:
    """The pointer with its counts: where no owner is left, there is no value."""
    pointer, counts = layouts.field(die, "_M_ptr"), layouts.field(die, "_M_refcount", "_M_pi")
    if pointer.type.get(TYPE) is None or "[]" in (die.get(NAME) or ""):
        raise Unknown("an array")
    uses = layouts.field(layouts.target(counts.type), "_M_use_count")
    numbers = (pointer.offset, 0, counts.offset, uses.offset, layouts.size(uses.type))
    return LibraryShape("weak", numbers, (layouts.target(pointer.type),))


def _bitset(layouts: Layouts, die: Die) -> LibraryShape:
    count = re.search(r"<(\d+)", die.get(NAME) or "")
    if count is None:
        raise Unknown("no size")
    return LibraryShape("bitset", (layouts.field(die, "_M_w").offset, int(count[1])))


def _owned(layouts: Layouts, die: Die, offset: int, pointer: Die) -> LibraryShape:
    """What a smart pointer points to: one object, or as a plain pointer where it is an array."""
    if pointer.get(TYPE) is None or "[]" in (die.get(NAME) or ""):
        return LibraryShape("inner", (offset,), (pointer,))
    return LibraryShape("owner", (offset, 0), (layouts.target(pointer),))


def _error(layouts: Layouts, die: Die) -> LibraryShape:
    return LibraryShape("error")


def _stream(buffer: int) -> Callable[[Layouts, Die], LibraryShape]:
    """A stream over a string: six pointers of its buffer, where libstdc++ has had them since its ABI is fixed."""

    def find(layouts: Layouts, die: Die) -> LibraryShape:
        name = die.get(NAME) or ""
        if "<char," not in name:
            raise Unknown("wide characters")
        return LibraryShape("stream", (buffer + 8,), (), base_name(die).removeprefix("basic_"))

    return find


def _node_iterator(name: str) -> Callable[[Layouts, Die], LibraryShape]:
    """A pointer to a node of a list, tree or hash table: the element is behind the links."""

    def find(layouts: Layouts, die: Die) -> LibraryShape:
        pointer, element = layouts.field(die, name), _element(layouts, die)
        node = layouts.target(pointer.type)
        links = next((layouts.target(child) for child, base in layouts.members(node) if base), node)
        value, align = _behind(layouts, links, element), max(8, layouts.alignment(element))
        size = (value + layouts.size(element) + align - 1) // align * align
        if name == "_M_cur":  # a hash node may have the hash behind its value
            size = layouts.size(node)
        return LibraryShape("node", (pointer.offset, value, size), (element,))

    return find


def _element(layouts: Layouts, die: Die) -> Die:
    """What an iterator points to; gcc may leave its arguments out."""
    for child in layouts.dwarf.children(die):
        if child.tag == TAG["typedef"] and child.get(NAME) == "pointer":
            return layouts.target(layouts.target(child))
    return layouts.arguments(die)[0]


def _optional(layouts: Layouts, die: Die) -> LibraryShape:
    payload = layouts.field(die, "_M_payload")
    engaged, value = (layouts.field(payload.type, "_M_engaged"), layouts.field(payload.type, "_M_payload", "_M_value"))
    return LibraryShape("optional", (payload.offset + engaged.offset, payload.offset + value.offset), (value.type,))


def _variant(layouts: Layouts, die: Die) -> LibraryShape:
    index, union = layouts.field(die, "_M_index"), layouts.field(die, "_M_u")
    types = tuple(layouts.arguments(die))
    return LibraryShape("variant", (index.offset, layouts.size(index.type), union.offset), types)


def _pair(layouts: Layouts, die: Die) -> LibraryShape:
    parts = [layouts.field(die, name) for name in ("first", "second")]
    return LibraryShape("tuple", tuple(part.offset for part in parts), tuple(part.type for part in parts))


def _tuple(layouts: Layouts, die: Die) -> LibraryShape:
    heads = _heads(layouts, die)
    return LibraryShape("tuple", tuple(head.offset for head in heads), tuple(head.type for head in heads))


def _heads(layouts: Layouts, die: Die, offset: int = 0) -> list[Part]:
    """A tuple's elements: the heads of its bases, one inside the other, each in front of the rest."""
    heads: list[Part] = []
    rest: list[Part] = []
    for child, base in layouts.members(die):
        inner, at = layouts.target(child), offset + location(child)
        if base and base_name(inner) == "_Tuple_impl":
            rest += _heads(layouts, inner, at)
        elif base and base_name(inner) == "_Head_base":
            head = layouts.field(inner, "_M_head_impl")
            heads.append(Part(at + head.offset, head.type))
    return heads + rest


_FINDERS: dict[str, Callable[[Layouts, Die], LibraryShape]] = {
    "vector": _vector,
    "basic_string": _string,
    "basic_string_view": _string_view,
    "initializer_list": _initializer_list,
    "span": _span,
    "map": _tree(DICT),
    "multimap": _tree(LIST),
    "set": _tree(SET),
    "multiset": _tree(LIST),
    "unordered_map": _hash(DICT),
    "unordered_multimap": _hash(LIST),
    "unordered_set": _hash(SET),
    "unordered_multiset": _hash(LIST),
    "list": _list,
    "forward_list": _forward_list,
    "deque": _deque,
    "array": _inner("_M_elems"),
    "stack": _inner("c"),
    "queue": _inner("c"),
    "priority_queue": _inner("c"),
    "unique_ptr": _unique_ptr,
    "shared_ptr": _shared_ptr,
    "weak_ptr": _weak_ptr,
    "bitset": _bitset,
    "any": any_holder,
    "function": function_holder,
    "duration": _inner("__r"),
    "mersenne_twister_engine": digest,
    "subtract_with_carry_engine": digest,
    "discard_block_engine": digest,
    "shuffle_order_engine": digest,
    "independent_bits_engine": digest,
    "linear_congruential_engine": _inner("_M_x"),
    "uniform_int_distribution": digest,
    "uniform_real_distribution": digest,
    "bernoulli_distribution": digest,
    "_Deque_iterator": digest,
    "error_code": digest,
    "exception_ptr": digest,
    "reverse_iterator": _inner("current"),
    "_Bit_iterator": digest,
    "_Bit_const_iterator": digest,
    "_Rb_tree_iterator": _node_iterator("_M_node"),
    "_Rb_tree_const_iterator": _node_iterator("_M_node"),
    "_List_iterator": _node_iterator("_M_node"),
    "_List_const_iterator": _node_iterator("_M_node"),
    "_Fwd_list_iterator": _node_iterator("_M_node"),
    "_Node_iterator": _node_iterator("_M_cur"),
    "_Node_const_iterator": _node_iterator("_M_cur"),
    **dict.fromkeys(("exception", "bad_alloc", "bad_cast", "bad_typeid", "bad_any_cast"), _error),
    **dict.fromkeys(("bad_function_call", "bad_weak_ptr", "bad_optional_access", "bad_variant_access"), _error),
    **dict.fromkeys(("runtime_error", "range_error", "overflow_error", "underflow_error", "system_error"), _error),
    **dict.fromkeys(("logic_error", "out_of_range", "invalid_argument", "length_error", "domain_error"), _error),
    "basic_stringstream": _stream(24),
    "basic_istringstream": _stream(16),
    "basic_ostringstream": _stream(8),
    "reference_wrapper": _inner("_M_data"),
    "__normal_iterator": _inner("_M_current"),
    "atomic": _inner("_M_i"),
    "complex": _inner("_M_value"),
    "optional": _optional,
    "variant": _variant,
    "pair": _pair,
    "tuple": _tuple,
}
