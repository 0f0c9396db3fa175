"""What the README shows and the examples do, done."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from test_tls import Authority

HOME = Path(__file__).parents[1]
READMES = ["README.md", "README.zh-CN.md"]
PYTHONS = os.environ.get("EXAMPLES_PYTHONS", sys.executable).split(":")
"""Where the built packages are installed, when they are."""


def blocks(name, language="python"):
    text = (HOME / name).read_text(encoding="utf-8")
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


def run(python, code, gateway, folder):
    return subprocess.run(
        [python, *code],
        env={**os.environ, "INFERENCE_GATEWAY_TARGET": gateway.target},
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize("example", sorted((HOME / "examples").glob("*.py")), ids=lambda p: p.stem)
def test_the_examples_run(gateway, tmp_path, python, example):
    done = run(python, [str(example)], gateway, tmp_path)
    assert done.stderr == ""
    assert done.returncode == 0
    assert done.stdout


def test_the_readmes_snippets_run(gateway, tmp_path):
    authority = Authority(tmp_path / "tls", "ours")
    cert, key = authority.issue("client")
    for pem, file in (("ca", authority.cert), ("client", cert), ("client-key", key)):
        shutil.copyfile(file, tmp_path / f"{pem}.pem")
    snippets = blocks(READMES[0])
    assert len(snippets) >= 6
    for snippet in snippets:
        code = snippet.replace("localhost:50051", gateway.target)
        done = run(sys.executable, ["-W", "error", "-c", code], gateway, tmp_path)
        assert (done.returncode, done.stderr) == (0, ""), snippet


def test_a_copy_of_the_folder_says_what_it_needs(tmp_path):
    copy = tmp_path / "a" / "python"
    shutil.copytree(HOME, copy, ignore=shutil.ignore_patterns("tests", "*_pb2*", "*.binpb"))
    done = subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", "--wheel", copy],
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    assert done.returncode != 0
    assert (
        "building it needs the whole checkout, not a copy of the folder"
        in done.stdout + done.stderr
    )
    assert all("whole checkout" in text or "整个检出" in text for text in map(read, READMES))


def read(name):
    return (HOME / name).read_text(encoding="utf-8")


def test_both_readmes_show_the_same_code():
    for language in ("python", "sh"):
        both = [[stripped(block) for block in blocks(name, language)] for name in READMES]
        assert both[0] == both[1]


def stripped(block):
    """Without comments and texts, which are each language's own."""
    return re.sub(r"\s*#.*", "", re.sub(r'"[^"]*"', '"..."', block)).strip()


def test_every_public_name_is_documented():
    import inference_gateway

    for name in inference_gateway.__all__:
        thing = getattr(inference_gateway, name)
        assert isinstance(thing, str) or (thing.__doc__ or "").strip(), name


def test_the_clients_help_tells_their_settings():
    import inference_gateway

    for name in ("Client", "InferenceClient", "AsyncClient", "AsyncInferenceClient"):
        assert "max_message_bytes:" in getattr(inference_gateway, name).__doc__


def test_the_packages_licence_is_the_products():
    assert read("LICENSE") == read("../../LICENSE")
