from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from feeds import xml

any_text = st.text(st.characters())


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("a\x00b\x08c\x0bd\x1fe", "abcde"),
        ("tab\tline\nreturn\r", "tab\tline\nreturn\r"),
        ("lone \ud83d surrogate \udc00", "lone  surrogate "),
        ("\ufffe\uffff\ufffd", "\ufffd"),
        ("\x7f\x85 are allowed", "\x7f\x85 are allowed"),
        ("🚆 \U0010ffff", "🚆 \U0010ffff"),
    ],
)
def test_only_what_xml_forbids_is_dropped(typed: str, kept: str) -> None:
    assert xml.clean(typed) == kept


def test_markup_characters_are_hexadecimal_references() -> None:
    assert xml.text("std::vector<int> AT&amp;T") == "std::vector&#x3C;int&#x3E; AT&#x26;amp;T"


@given(any_text)
def test_any_text_reads_back_as_typed(typed: str) -> None:
    parsed = etree.fromstring(f"<a>{xml.text(typed)}</a>".encode())
    assert (parsed.text or "") == xml.clean(typed)


@given(any_text)
def test_any_attribute_reads_back_as_typed(typed: str) -> None:
    parsed = etree.fromstring(f"<a b={xml.attribute(typed)}/>".encode())
    assert parsed.get("b") == xml.clean(typed)


@given(st.lists(st.sampled_from(["]", "]]", ">", "]]>", "<![CDATA[", "a", "&amp;"])).map("".join))
def test_any_cdata_reads_back_as_written(written: str) -> None:
    parsed = etree.fromstring(f"<a><![CDATA[{xml.cdata(written)}]]></a>".encode())
    assert (parsed.text or "") == written
