#!/usr/bin/env bash
# Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# tidy.sh [FILE...]: clang-tidy over the sources of a built tree (preset
# release), or over those named. Exit status 1 when it has anything to say.

# shellcheck source=scripts/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
command -v run-clang-tidy-22 >/dev/null || die 'clang-tidy-22 is missing' 'apt-get install clang-tidy-22'
[ -e "$ROOT/build/compile_commands.json" ] || die 'nothing is built in build/' 'scripts/setup.sh builds it'
trap - ERR
cd "$ROOT"
files=("$@")
[ ${#files[@]} -gt 0 ] || mapfile -t files < <(git ls-files -- 'lib/*.cpp' 'runtime/*.cpp' 'bench/*.cpp' 'tools/*.cpp' 'unittests/*.cpp')
run-clang-tidy-22 -quiet -p build -j "$(nproc)" -warnings-as-errors='*' "${files[@]}"
