#!/usr/bin/env bash
# Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# format.sh [--check]: formats every C++ source that git knows, or only says
# which ones are not formatted (exit status 1).

# shellcheck source=scripts/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
command -v clang-format-22 >/dev/null || die 'clang-format-22 is missing' 'apt-get install clang-format-22'
mode=(-i)
[ "${1:-}" != --check ] || mode=(--dry-run --Werror)
trap - ERR
cd "$ROOT"
git ls-files -z -- '*.cpp' '*.h' | xargs -0 -r clang-format-22 "${mode[@]}"
