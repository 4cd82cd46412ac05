from __future__ import annotations

import base64
import hashlib
import json

from lcbench.report.page.shell import json_in_html, policy


def test_json_between_script_tags_can_neither_end_the_script_nor_start_a_comment():
    value = {"a": "</script><!-- & \u2028 é \ud800"}
    text = json_in_html(value)
    assert not set("<>&") & set(text)
    assert text.isascii()
    assert json.loads(text) == value


def test_the_policy_names_the_hash_of_each_script_and_no_other_source_of_scripts():
    found = policy("a()", "b()")
    hashes = [base64.b64encode(hashlib.sha256(code).digest()).decode() for code in (b"a()", b"b()")]
    assert f"script-src 'sha256-{hashes[0]}' 'sha256-{hashes[1]}';" in found
    assert found.startswith("default-src 'none'; ")
