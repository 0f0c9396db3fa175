#!/usr/bin/env bash
# Makes the image's Java: of a JDK the modules that the gateway uses, 80 MB for 340.
#   jlink.sh MODULES-FILE TO    the JDK is the one whose jlink is on the PATH
set -euo pipefail
modules=$(grep -Ev '^(#|$)' "$1" | paste -s -d ,)
# Not compressed: classes are read where they lie, and an image's layers are compressed on their way anyhow.
jlink --add-modules "$modules" --no-header-files --no-man-pages --compress zip-0 --output "$2"
