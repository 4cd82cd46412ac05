from __future__ import annotations

import subprocess
import sys
from types import SimpleNamespace

from lcbench.cli.completing import completes


def test_it_gives_the_words_of_a_kind_with_a_line_about_each():
    words = completes("rules")(SimpleNamespace(params={}), "or")
    assert [word for word, _ in words] == ["oracle"]


def test_a_command_that_is_no_completion_does_not_load_the_completer():
    code = (
        "import sys; sys.argv = ['lcbench', 'list', 'metrics']\n"
        "from lcbench.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "sys.exit('lcbench.cli.completion' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True).returncode == 0
