import os
from pathlib import Path

import pytest
from dockerfile import Image


@pytest.fixture(scope="session")
def jdk():
    return os.environ["JDK25"]


@pytest.fixture(scope="session")
def jar():
    return os.environ["GATEWAY_JAR"]


@pytest.fixture(scope="session")
def image(jdk, jar):
    root = Path(os.environ["IMAGE_ROOT"])
    root.mkdir()
    return Image(root, jdk, jar)
