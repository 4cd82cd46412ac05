from __future__ import annotations

from lcbench.printable import printable


def test_control_characters_are_replaced_and_letters_and_line_breaks_stay():
    assert printable("\x1b[31mrot\x07\r\n é 数 [b]\x9b") == "�[31mrot��\n é 数 [b]�"
