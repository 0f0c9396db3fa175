"""What Envoy itself says of the file and its variants."""

import itertools
import re
import shutil
import subprocess

import pytest
from certificates import Authority
from rig import binary
from shipped import HOME, VARIANTS, text

ALL = [chosen for count in range(len(VARIANTS) + 1) for chosen in itertools.combinations(VARIANTS, count)]


def validated(folder, config):
    """The word of `envoy --mode validate`; secrets where the variants' files look for them."""
    file = folder / "envoy.yaml"
    file.write_text(config.replace("/etc/envoy/", f"{folder}/"), encoding="utf-8")
    command = (binary(), "--mode", "validate", "-l", "warning", "-c", str(file))
    return subprocess.run(command, capture_output=True, text=True)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("validate")
    (folder / "secrets").mkdir()
    authority = Authority(folder)
    for name in ("edge", "client"):
        authority.issue(folder / "tls" / name, name)
    for file in (HOME / "secrets").iterdir():
        (folder / "secrets" / file.name).write_text(file.read_text().replace("/etc/envoy/", f"{folder}/"))
    yield folder
    shutil.rmtree(folder)


@pytest.mark.parametrize("variants", ALL, ids=lambda chosen: "+".join(chosen) or "plain")
def test_envoy_takes_every_variant_without_a_warning(files, variants):
    said = validated(files, text(*variants))
    assert said.returncode == 0, said.stderr
    assert "OK" in said.stdout
    assert not said.stderr, said.stderr


def test_envoy_would_refuse_a_wrong_one(files):
    assert validated(files, text().replace("max_stream_duration:", "max_stream_durations:")).returncode != 0


def test_variants_leave_no_mark_behind_and_change_what_they_should():
    plain = text()
    for variant in VARIANTS:
        made = text(variant)
        assert made != plain
        assert not re.search(rf"#{variant}: |#-{variant}$", made, re.MULTILINE)
    assert set(re.findall(r"^ *#(\w+): ", plain, re.MULTILINE)) == set(VARIANTS)
