#!/usr/bin/env bash
# Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# gpu-prepare.sh SOURCE FOLDER NAMES: scripts/gpu.sh --prepare of a build that is as it is, with a ninja that builds nothing.
set -euo pipefail
mkdir -p "$2/no-build"
printf '#!/bin/sh\n' > "$2/no-build/ninja"
chmod +x "$2/no-build/ninja"
PATH=$2/no-build:$PATH exec "$1/scripts/gpu.sh" --only "$3" --prepare "$2"
