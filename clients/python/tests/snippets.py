"""Writes the README's Python as files, for a type checker."""

import sys
from pathlib import Path

from test_documents import READMES, blocks

if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name in READMES:
        for number, code in enumerate(blocks(name)):
            file = folder / f"{name.replace('.', '_').replace('-', '_')}_{number}.py"
            file.write_text(code, encoding="utf-8")
