#!/usr/bin/env bash
# Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# bench.sh [ARGUMENTS OF helios-bench]
#
# Sets the machine up (see setup.sh), builds, compiles the kernels of examples/,
# then runs, checks and times them on the best device found: a GPU with a Vulkan
# driver, or lavapipe on the CPU. With arguments, helios-bench gets those instead
# of the default list. Exit status as of helios-bench: 0 all results right,
# 1 a wrong one, 2 usage, 3 unsupported here, 4 device.

case ${1:-} in
  -h | --help) sed -n '5,12s/^# \{0,1\}//p' "$0"; exit 0 ;;
esac

# shellcheck source=scripts/setup.sh
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
STEPS=$((SETUP_STEPS + 2))
helios_setup
BUILD=$(build_dir)
export XDG_CACHE_HOME=${XDG_CACHE_HOME:-$BUILD/cache}

# Driver descriptions of real GPUs, in the places where loaders and container runtimes keep them.
gpu_drivers() {
  find /usr/share/vulkan/icd.d /etc/vulkan/icd.d /usr/local/share/vulkan/icd.d /usr/local/etc/vulkan/icd.d \
    /usr/local/nvidia/share/vulkan/icd.d -name '*.json' 2>/dev/null | grep -vE 'lvp|llvmpipe|swrast|virtio|gfxstream' || true
}

# Sets LAUNCHER and DEVICE: a GPU that answers through the system's own loader, or lavapipe.
choose_device() {
  local drivers devices
  drivers=${VK_DRIVER_FILES:-$(gpu_drivers | paste -sd:)}
  if [ -n "$drivers" ] && devices=$(VK_DRIVER_FILES=$drivers "$BUILD/bin/helios-doctor" 2>/dev/null) &&
    grep -E '^ *vulkan:[0-9]+' <<<"$devices" | grep -qvi cpu; then
    export VK_DRIVER_FILES=$drivers
    LAUNCHER=()
    ON_GPU=yes
    echo "      device: a GPU, through this system's Vulkan loader"
  else
    LAUNCHER=("$LAVAPIPE/vkrun")
    ON_GPU=no
    echo "      device: lavapipe on the CPU, as no GPU answers; its times are no performance figures"
  fi
}

compile_examples() {
  local example name
  mkdir -p "$BUILD/examples"
  for example in "$ROOT"/examples/*.mlir; do
    name=$(basename "$example" .mlir)
    echo "$name"
    "$BUILD/bin/helios-compile" "$example" --target=vulkan -o "$BUILD/examples/$name.hlx"
  done
}

# runs ARGUMENTS...: one call of helios-bench; remembers the worst exit status.
worst=0
runs() {
  local status=0
  "${LAUNCHER[@]}" "$BUILD/bin/helios-bench" "$@" || status=$?
  [ "$status" -le "$worst" ] || worst=$status
}

default_list() {
  local example gemms
  for example in "$ROOT"/examples/*.mlir; do
    # Peak kernels are ceilings (--ceilings), with no result to check.
    case $example in */peak_*) continue ;; esac
    runs run "$example" --device vulkan
  done
  if [ $ON_GPU = yes ]; then gemms=1024x1024x1024,4096x4096x4096,8192x8192x8192; else gemms=128x128x128,257x129x65,512x512x512; fi
  runs gemm --shapes $gemms --types f16:f16:f32:f16 --layout nt --epilogue none --device vulkan
  runs gemm --shapes $gemms --types f16:f16:f32:f16 --layout nt --epilogue bias+gelu --device vulkan
}

step 'examples, compiled' 'helios-compile names the file and line; docs/debugging.md says how to look further.' compile_examples
STEP=$((STEP + 1))
STEP_TITLE='benchmark'
printf '[%d/%d] %s\n' "$STEP" "$STEPS" "$STEP_TITLE"
choose_device
trap - ERR
if [ $# -gt 0 ]; then runs "$@"; else default_list; fi
exit "$worst"
