"""Frames: whatever bytes come, in whatever pieces, messages are found and the rest is told in words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldline.ui.dap.wire import MAX_BODY_BYTES, BadMessage, MessageDecoder, frame

pytestmark = pytest.mark.unit

MESSAGES = st.dictionaries(st.text(max_size=8), st.integers() | st.text(max_size=20) | st.none(), max_size=4)


def fed(data: bytes, size: int = 1 << 20) -> list[object]:
    """What comes out of these bytes, fed in pieces."""
    frames = MessageDecoder()
    return [one for at in range(0, len(data), size) for one in frames.feed(data[at : at + size])]


@given(st.lists(MESSAGES, max_size=5), st.integers(1, 40))
def test_messages_come_out_as_they_went_in_however_they_are_cut(messages: list[dict[str, object]], size: int) -> None:
    assert fed(b"".join(map(frame, messages)), size) == messages


@given(st.binary(max_size=3000), st.integers(1, 100))
def test_any_bytes_give_messages_or_words(data: bytes, size: int) -> None:
    assert all(isinstance(one, dict | BadMessage) for one in fed(data, size))


@given(st.binary(max_size=200).filter(lambda data: b"ontent" not in data.lower() and b"C" not in data))
def test_after_noise_the_next_message_is_found(noise: bytes) -> None:
    message = {"seq": 1}
    found = fed(noise + b"\r\n\r\n" + frame(message) + frame(message))
    assert found[-2:] == [message, message]
    assert all(isinstance(one, BadMessage) and one.is_framing for one in found[:-2])


@pytest.mark.parametrize(
    "header",
    [
        b"Content-Length: 99999999999\r\n\r\n",
        b"Content-Length: -5\r\n\r\n",
        b"Content-Length: 1e3\r\n\r\n",
        b"Content-Length: 5\r\nContent-Length: 5\r\n\r\n",
        b"X-Other: 1\r\nContent-Length: 2\r\n\r\n{}",
        b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 2\r\n\r\n{}",
        b"\r\n\r\n",
        b"Content-Length 5\r\n\r\n",
        b"x" * 5000,
        b"Content-Length: %d\r\n\r\n" % (MAX_BODY_BYTES + 1),
    ],
)
def test_a_bad_header_is_reported_and_skipped(header: bytes) -> None:
    found = fed(header + frame({"seq": 6}) + frame({"seq": 7}))  # the first may be taken for a body
    assert isinstance(found[0], BadMessage)
    assert found[0].is_framing
    assert found[-1] == {"seq": 7}


@pytest.mark.parametrize(
    "body",
    [
        b"\xff\xfe", b"{", b"[" * 100_000, b"[1]", b"1", b'"x"', b"null", b'{"a":NaN}', b'{"a":Infinity}', b"",
        b'{"seq":' + b"9" * 10_000 + b"}", b'{"a":1}garbage',
    ],
)  # fmt: skip
def test_a_body_that_is_not_an_object_is_skipped(body: bytes) -> None:
    found = fed(b"Content-Length: %d\r\n\r\n" % len(body) + body + frame({"seq": 8}))
    assert isinstance(found[0], BadMessage)
    assert not found[0].is_framing
    assert found[1:] == [{"seq": 8}]


def test_half_a_character_survives_the_way_out() -> None:
    assert fed(frame({"output": "\ud800\U0001f600\x00"})) == [{"output": "\ud800\U0001f600\x00"}]
