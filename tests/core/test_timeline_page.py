"""The timeline as a drawing and as a page."""

from __future__ import annotations

import re
import runpy
from datetime import UTC, datetime
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest

from genome_core.facts.windows import Basis, Window
from genome_core.timeline_page import timeline_page
from genome_core.timeline_svg import Bar, Scale, lanes_of, timeline_svg
from genome_core.types import Fact, FactKind, Precision, TimeSpan

ROOT = Path(__file__).parent.parent.parent
NOW = datetime(2025, 1, 1, tzinfo=UTC)
SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = """<script>alert("1")</script> & ' ]]> \x07"""


def day(text: str) -> datetime:
    return datetime.fromisoformat(f"{text}T00:00:00+00:00")


def span(start: str, end: str, precision: Precision = Precision.MONTH) -> TimeSpan:
    return TimeSpan(day(start), day(end), precision)


def window(
    value: str,
    begins: str,
    ends: str | None = None,
    *,
    subject: str = "Ines",
    attribute: str = "home",
    start: TimeSpan | None = None,
    end: TimeSpan | None = None,
    told: str = "2024-02-20",
    namespace: tuple[str, ...] = ("user:ines",),
) -> Window:
    fact = Fact(
        subject=subject, attribute=attribute, value=value, at=day(told), source="turn", namespace=namespace, id=value
    )
    return Window(value, day(begins), day(ends) if ends else None, start, end, Basis.DATED, 1.0, (fact,))


PORTO = window("Porto", "2023-01-15", "2023-09-01", end=span("2023-09-01", "2023-10-01"), told="2023-01-15")
LYON = window("Lyon", "2023-09-01", start=span("2023-09-01", "2023-10-01"))
SURE = span("2023-09-01", "2023-09-02", Precision.DAY)


def drawn(*windows: Window) -> ElementTree.Element:
    return ElementTree.fromstring(timeline_svg(windows, now=NOW))


def texts(svg: ElementTree.Element, kind: str) -> list[str]:
    return [element.text or "" for element in svg.iter(f"{SVG}text") if element.get("class") == kind]


def titles(svg: ElementTree.Element) -> list[str]:
    return [element.text or "" for element in svg.iter(f"{SVG}title")]


def test_each_value_is_a_bar_with_a_title_that_tells_its_times() -> None:
    svg = drawn(PORTO, LYON)
    assert texts(svg, "value") == ["Porto", "Lyon"]
    assert "Ines, home: Porto\nfrom 15 January 2023 or before until September 2023" in titles(svg)
    assert "Ines, home: Lyon\nfrom September 2023, still so" in titles(svg)


def test_a_row_for_each_attribute_and_a_heading_for_each_subject() -> None:
    svg = drawn(
        PORTO, LYON, window("Arnaud", "2024-01-01", attribute="employer"), window("Rome", "2024-01-01", subject="Ugo")
    )
    assert texts(svg, "subject") == ["Ines", "Ugo"]
    assert [text for text in texts(svg, "dim") if text in ("home", "employer")] == ["home", "employer", "home"]


def test_namespaces_are_named_where_there_are_several() -> None:
    other = window("Rome", "2024-01-01", namespace=("user:ugo",))
    assert "user:ugo" in texts(drawn(LYON, other), "dim")
    assert "user:ines" not in texts(drawn(LYON), "dim")


def test_an_edge_fades_over_the_interval_in_which_the_change_lies() -> None:
    scale = Scale.around([PORTO, LYON], NOW)
    bar = Bar.of(LYON, scale, NOW)
    assert bar.rise == (scale.x(day("2023-09-01")), scale.x(day("2023-10-01")))
    assert [bar.density(x) for x in (bar.rise[0], sum(bar.rise) / 2, bar.rise[1])] == pytest.approx([0, 0.5, 1])
    ending = Bar.of(PORTO, scale, NOW)
    assert ending.density(ending.fall[1]) == 0
    assert ending.right == scale.x(day("2023-10-01"))


def test_a_beginning_that_is_not_known_at_all_runs_out_to_the_left() -> None:
    scale = Scale.around([PORTO], NOW)
    bar = Bar.of(PORTO, scale, NOW)
    assert bar.left < bar.rise[1] == scale.x(day("2023-01-15"))


def test_a_day_is_a_sharp_edge() -> None:
    sharp = window("Lyon", "2023-09-01", start=SURE)
    assert not list(drawn(sharp).iter(f"{SVG}linearGradient"))
    assert list(drawn(LYON).iter(f"{SVG}linearGradient"))


def test_only_a_value_that_still_holds_has_a_point_beyond_now() -> None:
    def rightmost(one: Window) -> float:
        bar = next(path for path in drawn(one).iter(f"{SVG}path") if path.get("fill-opacity"))
        return max(float(x) for x in re.findall(r"[ML]([\d.]+) ", bar.get("d", "")))

    ended = window("Lyon", "2023-09-01", "2025-01-01", start=SURE)
    assert rightmost(window("Lyon", "2023-09-01", start=SURE)) > Scale.around([ended], NOW).x(NOW) >= rightmost(ended)


def test_there_is_a_dot_for_each_telling() -> None:
    left = Fact(subject="Ines", attribute="home", value=None, kind=FactKind.END, at=day("2023-11-05"), id="left")
    told_twice = Window("Porto", PORTO.begins, PORTO.ends, None, PORTO.end, Basis.SEEN, 1.0, (*PORTO.facts, left))
    svg = ElementTree.fromstring(
        timeline_svg([told_twice], now=NOW, words={(("user:ines",), "turn"): "I live in Porto."})
    )
    assert {"told on 15 January 2023: I live in Porto.", "told on 5 November 2023: Porto"} <= set(titles(svg))
    dots = [circle for circle in svg.iter(f"{SVG}circle") if float(circle.get("cy", "0")) < svg_height(svg) - 30]
    assert [dot.get("class") for dot in dots] == ["telling", "telling end"]


def svg_height(svg: ElementTree.Element) -> float:
    return float(svg.get("viewBox", "").split()[-1])


def test_values_that_held_at_the_same_time_lie_in_lanes_of_their_own() -> None:
    cat, dog = window("Bica", "2023-03-02", attribute="pet"), window("Pixel", "2024-03-30", attribute="pet")
    assert lanes_of([PORTO, LYON]) == [[PORTO, LYON]]
    assert lanes_of([dog, cat]) == [[cat], [dog]]
    assert svg_height(drawn(cat, dog)) > svg_height(drawn(cat))


def test_what_was_stored_is_shown_as_text_and_never_read_as_markup() -> None:
    hostile = window(HOSTILE, "2023-09-01", subject=HOSTILE, attribute=HOSTILE, namespace=(HOSTILE,))
    page = timeline_page([hostile, LYON], now=NOW, words={((HOSTILE,), "turn"): HOSTILE}, title=HOSTILE)
    reader = Reader()
    reader.feed(page)
    assert "script" not in reader.tags
    assert sum(HOSTILE.replace("\x07", "\ufffd") in text for text in reader.texts) >= 6
    ElementTree.fromstring(timeline_svg([hostile], now=NOW))


class Reader(HTMLParser):
    """The tags, attributes and texts of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def test_the_page_needs_nothing_from_elsewhere() -> None:
    page = timeline_page([PORTO, LYON], now=NOW)
    reader = Reader()
    reader.feed(page)
    assert not {"script", "link", "img", "iframe"} & set(reader.tags)
    assert not [value for name, value in reader.attributes if name in ("src", "href") or name.startswith("on")]
    assert set(re.findall(r"https?:[^\"' ]+", page)) == {"http://www.w3.org/2000/svg"}
    assert set(re.findall(r"url\((.)", page)) == {"#"}


def test_the_table_says_the_same_as_the_drawing() -> None:
    reader = Reader()
    reader.feed(timeline_page([PORTO, LYON], now=NOW, known_at=NOW, words={(("user:ines",), "turn"): "We moved."}))
    told = " ".join(reader.texts)
    assert "as known on 1 January 2025" in told
    assert "15 January 2023 or before" in reader.texts
    assert reader.texts.count("still so") == 1
    assert "We moved." in reader.texts


@pytest.mark.parametrize(
    "since", ["2024-12-25", "2024-10-01", "2021-01-01", "1950-06-15", "0001-01-01", "2020-01-01/9999-12-31"]
)
def test_an_axis_of_any_length_has_a_readable_number_of_ticks(since: str) -> None:
    ticks = Scale.around([window("Lyon", *since.split("/"))], NOW).ticks()
    assert 2 <= len(ticks) <= 15
    assert [x for x, _ in ticks] == sorted({x for x, _ in ticks})


def test_nothing_known_is_an_empty_drawing() -> None:
    assert texts(drawn(), "today") == ["1 January 2025"]
    assert "0 values" in timeline_page([], now=NOW)


def test_the_picture_in_the_documentation_is_what_the_script_draws() -> None:
    script = runpy.run_path(str(ROOT / "scripts" / "draw-timeline"))
    assert script["PICTURE"] == ROOT / "docs" / "images" / "timeline.svg"
    assert script["PICTURE"].read_text(encoding="utf-8") == script["draw"](), "run scripts/draw-timeline"


def test_equal_windows_give_equal_text() -> None:
    assert timeline_page([PORTO, LYON], now=NOW) == timeline_page([PORTO, LYON], now=NOW)


def test_a_value_that_does_not_fit_is_cut_in_the_bar_and_whole_in_its_title() -> None:
    long = window("Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogoch" * 3, "2024-09-01", start=SURE)
    svg = drawn(long)
    [label] = texts(svg, "value")
    assert label.endswith("…")
    assert any(long.value in title for title in titles(svg))


def test_a_short_bar_has_its_value_beside_it_where_there_is_room() -> None:
    first = window("Rome", "2000-01-01", attribute="home")
    short = window("Somewhere", "2020-01-01", "2020-02-01", start=span("2020-01-01", "2020-01-02", Precision.DAY))
    scale = Scale.around([first, short], NOW)
    [label] = [text for text in drawn(first, short).iter(f"{SVG}text") if text.text == "Somewhere"]
    assert float(label.get("x", "0")) > scale.x(day("2020-02-01"))


def test_the_words_lie_above_all_bars() -> None:
    order = [element.get("class") or element.tag for element in drawn(PORTO, LYON).iter()]
    assert order.index("value") > max(place for place, name in enumerate(order) if name == f"{SVG}linearGradient")
