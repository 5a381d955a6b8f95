"""Parses JSON from a server that may be broken or hostile: raises MalformedResponse, and no other error.

Too deep nesting, NaN, infinity and integers beyond 64 bits are rejected; lone surrogates, which no file,
socket or terminal accepts, become U+FFFD so that one bad name does not invalidate the whole response.
"""

from __future__ import annotations

import gc
import json
import re
from codecs import BOM_UTF8
from typing import NoReturn

import msgspec

from narrowcast_api import memory
from narrowcast_api.errors import MalformedResponse
from narrowcast_api.http.lazy_rows import LazyRows

_INTEGER_LIMIT = 2**63
_LARGE = 2**20
"""Size in bytes from which the faster parser is used."""
MEMORY_BYTES = 512 * 2**20
"""Bytes of memory that the value of one response may take: 64 MB of `[],` would take 1.5 GB."""
_WEIGHTS = ((b",", 40), (b"[", 88), (b"{", 72), (b":", 100), (b'"', 28))
MOST_PER_BYTE = 46
"""The highest estimate per byte of JSON outside texts, that of `{"":{"":{"":0}}}`: shorter JSON is not estimated, which
takes a third of the time of parsing it.
"""
# A number beyond 64 bits has at least 19 digits in a row; these are found with fast bytes operations, because
# checking each number would be too slow for large responses.
_DIGITS_TO_ZERO = bytes.maketrans(b"123456789", b"000000000")
_LONG_RUN = b"0" * 19
_LONG_NUMBER = re.compile(rb"(?:\A|[-:\[, \t\r\n])0{19}")  # others are in texts
# Starts with literal bytes, so that the search can skip quickly.
_LONE_SURROGATE = re.compile(
    rb"\\u[dD](?:[89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])"
    rb"|[c-fC-F](?<!\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F]))"
)


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _bounded_int(text: str) -> int:
    if len(text) > 20 or not -_INTEGER_LIMIT <= (value := int(text)) < _INTEGER_LIMIT:
        raise ValueError("an integer beyond 64 bits")
    return value


def _finite_float(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise ValueError("a number beyond the range of floats")
    return value


# Created once: `json.loads` would create a decoder for each text.
_DECODER = json.JSONDecoder(parse_constant=_no_constant, parse_float=_finite_float)
_WITH_LONG_NUMBERS = json.JSONDecoder(
    parse_constant=_no_constant, parse_float=_finite_float, parse_int=_bounded_int
)


def parse_json(raw: bytes | str, lazy_field: str = "") -> object:
    """Returns the value of the JSON in `raw`. Raises MalformedResponse with the reason, which never quotes the JSON.

    The field `lazy_field` of a large object may be returned as `LazyRows` if it is a list.
    """
    data = raw.encode("utf-8", "surrogatepass") if isinstance(raw, str) else raw
    if len(data) * MOST_PER_BYTE > MEMORY_BYTES and estimated_memory(data) > MEMORY_BYTES:
        raise MalformedResponse("the JSON would take too much memory")
    if len(data) >= _LARGE and (quick := _parsed_quickly(data, lazy_field)) is not None:
        return quick
    text = data.removeprefix(BOM_UTF8).decode("utf-8", "replace")
    problem = ""
    try:
        decoder = _WITH_LONG_NUMBERS if _may_hold_long_numbers(data) else _DECODER
        value: object = decoder.decode(text)
        if _LONE_SURROGATE.search(data) is not None:
            value = _without_lone_surrogates(value)
    except json.JSONDecodeError as error:
        problem = f"not JSON: {error.msg} at character {error.pos}"
    except RecursionError:
        problem = "JSON nested too deeply"
    except (ValueError, MemoryError) as error:
        problem = f"unusable JSON: {str(error)[:80]}"
    if problem:
        # Raised here, outside the except: the decoder's own error contains the whole text.
        raise MalformedResponse(problem)
    return value


def estimated_memory(data: bytes) -> int:
    """Estimates the bytes of memory that the value of `data` takes without its texts: rarely too low, usually too high.

    Punctuation within texts is counted too: to exclude it would take longer than parsing the response.
    """
    return sum(weight * data.count(sign) for sign, weight in _WEIGHTS)


def _parsed_quickly(data: bytes, lazy_field: str) -> object:
    """The value of a large response, in half the time; None if only the careful parser can decide."""
    if lazy_field:
        memory.tune_malloc()  # must be called before the first large block is freed
    if _may_hold_long_numbers(data) or _LONE_SURROGATE.search(data) is not None:
        return None
    collecting = gc.isenabled()
    gc.disable()  # a million new objects without garbage: collections would add half of the parsing time
    try:
        value: object = _with_lazy_rows(data, lazy_field) if lazy_field else msgspec.json.decode(data)
    except (msgspec.DecodeError, ValueError, RecursionError, MemoryError):
        return None
    finally:
        if collecting:
            gc.enable()
    return value


def _with_lazy_rows(data: bytes, lazy_field: str) -> dict[str, object]:
    parts = msgspec.json.decode(data, type=dict[str, msgspec.Raw])
    rows = parts.pop(lazy_field, None)
    value: dict[str, object] = {name: msgspec.json.decode(part) for name, part in parts.items()}
    if rows is not None:
        value[lazy_field] = LazyRows(rows, _row_or_none)
    return value


def _row_or_none(raw: bytes) -> object:
    try:
        return parse_json(raw)
    except MalformedResponse:
        return None


def _may_hold_long_numbers(data: bytes) -> bool:
    zeros = data.translate(_DIGITS_TO_ZERO)
    return _LONG_RUN in zeros and _LONG_NUMBER.search(zeros) is not None


def parse_object(raw: bytes | str, lazy_field: str = "") -> dict[str, object]:
    """Returns the JSON object in `raw`; `lazy_field` as in `parse_json`. Raises MalformedResponse if it is none."""
    value = parse_json(raw, lazy_field)
    if not isinstance(value, dict):
        raise MalformedResponse(f"expected a JSON object, not {type(value).__name__}")
    return value


def _without_lone_surrogates(value: object) -> object:
    text = json.dumps(value, ensure_ascii=False)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        cleaned: object = json.loads(text.encode("utf-8", "surrogatepass").decode("utf-8", "replace"))
        return cleaned
    return value
