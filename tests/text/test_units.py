"""translit.text.units: another unit is flagged, also where a character of the right one stands somewhere."""

from __future__ import annotations

import pytest

from translit.text.checks import check
from translit.text.units import amounts, lost

WRONG = [
    ("It costs $5.", "它要5欧元。"),
    ("It costs $5.", "它要5日元。"),
    ("It costs ¥5.", "它要5欧元。"),
    ("It costs ₩5000.", "它要5000美元。"),
    ("In Europe it costs €5.", "在欧洲要5美元。"),
    ("In Northern Europe it costs €5.", "在北欧要5美元。"),
    ("It weighs 5 kg.", "它重5斤。"),
    ("It is 5 km from here.", "离这里5英里。"),
    ("It is 20 °C.", "现在20华氏度。"),
    ("It is 20 °C.", "现在20°F。"),
    ("Only 5% of users completed it.", "只有5个用户完成了它。"),
]
RIGHT = [
    ("It costs $5.", "它要5美元。"),
    ("It costs $5.", "它要五块钱。"),
    ("It costs ¥5.", "它要5日元。"),
    ("It costs ₩5000.", "它要5000韩元。"),
    ("In Europe it costs €5.", "在欧洲要5欧元。"),
    ("It weighs 5 kg.", "它重10斤。"),
    ("It is 5 km from here.", "离这里10里路。"),
    ("It is 20 °C.", "现在20度。"),
    ("It is 20 °F.", "现在20华氏度。"),
    ("Some 70% agree.", "大约七成同意。"),
    ("It costs 50¢.", "它要五毛钱。"),
    ("5%-10% of users left.", "5%到10%的用户离开了。"),
    ("An angle of 20°-30° is best.", "角度以20°到30°为佳。"),
]


@pytest.mark.parametrize(("source", "translation"), WRONG)
def test_another_unit_is_flagged(source: str, translation: str) -> None:
    assert lost(source, translation)


@pytest.mark.parametrize(("source", "translation"), RIGHT)
def test_the_same_unit_is_not(source: str, translation: str) -> None:
    assert lost(source, translation) == []


def test_the_hyphen_of_a_range_is_no_minus() -> None:
    assert [chinese for *_, chinese in amounts("5%-10%")] == ["5%", "10%"]
    assert [chinese for *_, chinese in amounts("-10%")] == ["-10%"]
    assert lost("It fell to -10%.", "它跌到10%。") == []  # 跌 says it
    assert lost("It is -10 °C.", "现在10摄氏度。") == ["- of -10 °C"]


@pytest.mark.parametrize("unit", ["KB", "kB", "MB", "GB", "TB"])
def test_data_has_units(unit: str) -> None:
    source = f"The file has 10 {unit}."
    assert [chinese for *_, chinese in amounts(source)] == [f"10 {unit}"]
    assert check(source, f"这个文件有10 {unit}。") == check(source, "这个文件有10字节。") == []
    assert [flag.kind for flag in check(source, "这个文件有10号。")] == ["unit"]


def test_a_temperature_has_no_degree_by_its_name() -> None:
    assert lost("It is -5 °C outside.", "外面是-5温度。") == ["°C of -5 °C"]
    assert lost("It is -5 °C outside.", "外面温度是-5度。") == []
