#!/bin/sh
# Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Writes the reference of dialects, interfaces and passes from their TableGen files: one page for each helios_reference() in
# docs/CMakeLists.txt, the list that the build uses as well. test/Docs/reference.test says when docs/reference is stale.
#
#   scripts/gen-docs.sh [FOLDER]      FOLDER: where to (docs/reference)
#   MLIR_TBLGEN=PATH                  the generator (mlir-tblgen of LLVM 22)
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
out=${1:-$root/docs/reference}
tblgen=${MLIR_TBLGEN:-}
if [ -z "$tblgen" ]; then
  for candidate in /usr/lib/llvm-22/bin/mlir-tblgen mlir-tblgen-22 mlir-tblgen; do
    if command -v "$candidate" >/dev/null 2>&1; then
      tblgen=$candidate
      break
    fi
  done
fi
if [ -z "$tblgen" ]; then
  echo "gen-docs: expected mlir-tblgen of LLVM 22, found none; install mlir-22-tools or set MLIR_TBLGEN" >&2
  exit 2
fi
if ! command -v "$tblgen" >/dev/null 2>&1; then
  echo "gen-docs: expected mlir-tblgen of LLVM 22, found no $tblgen; set MLIR_TBLGEN" >&2
  exit 2
fi
# TableGen files of MLIR lie beside its tools.
include=$(dirname "$(readlink -f "$(command -v "$tblgen")")")/../include

page() { # PAGE FILE GENERATOR...
  name=$1
  file=$root/include/helios/$2
  shift 2
  # A newline at the end of a line and no blank ones at the end of the file, so that the pages are the same everywhere.
  "$tblgen" "$@" -I "$root/include" -I "$include" "$file" >"$out/$name.md.part" || {
    rm -f "$out/$name.md.part"
    echo "gen-docs: no page for $file" >&2
    exit 2
  }
  sed -e 's/[ 	]*$//' "$out/$name.md.part" | awk '/^$/ { blank = blank "\n"; next } { printf "%s%s\n", blank, $0; blank = "" }' >"$out/$name.md"
  rm "$out/$name.md.part"
}

mkdir -p "$out"
rm -f "$out"/*.md
list=$(sed -n 's/^helios_reference(\(.*\))$/\1/p' "$root/docs/CMakeLists.txt")
if [ -z "$list" ]; then
  echo "gen-docs: expected helios_reference() lines in docs/CMakeLists.txt, found none" >&2
  exit 2
fi
echo "$list" | while read -r line; do
  # shellcheck disable=SC2086
  page $line
done
# The loop over interfaces in docs/CMakeLists.txt.
for interface in $(sed -n 's/^foreach(interface \(.*\))$/\1/p' "$root/docs/CMakeLists.txt"); do
  page "interface-$(echo "$interface" | tr '[:upper:]' '[:lower:]')" "Dialect/Tile/IR/$interface.td" -gen-attr-interface-docs
done
