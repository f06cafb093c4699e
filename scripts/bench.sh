#!/usr/bin/env bash
# Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# bench.sh [ARGUMENTS OF helios-bench | --suite l4]
#
# Sets the machine up (see setup.sh), builds, compiles the kernels of examples/,
# then runs, checks and times them on the best device found: a CUDA GPU, a GPU with
# a Vulkan driver, or lavapipe on the CPU. With arguments, helios-bench gets those
# instead of the default list. --suite l4 compares f16 products with cuBLAS, on CUDA
# and Vulkan (see l4.py). Exit status as of helios-bench: 0 all results right,
# 1 a wrong one, 2 usage, 3 unsupported here, 4 device, 5 slower than a baseline.
# Without a GPU and once built, the default list takes minutes, then seconds.

case ${1:-} in
  -h | --help) sed -n '5,15s/^# \{0,1\}//p' "$0"; exit 0 ;;
esac

# shellcheck source=scripts/setup.sh
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
STEPS=$((SETUP_STEPS + 2))
helios_setup
BUILD=$(build_dir)
export XDG_CACHE_HOME=${XDG_CACHE_HOME:-$BUILD/cache}
# lavapipe takes seconds to compile a kernel: a second run finds its code in that folder.
export MESA_SHADER_CACHE_DISABLE=${MESA_SHADER_CACHE_DISABLE:-false}

# Driver descriptions of real GPUs, in the places where loaders and container runtimes keep them.
gpu_drivers() {
  find /usr/share/vulkan/icd.d /etc/vulkan/icd.d /usr/local/share/vulkan/icd.d /usr/local/etc/vulkan/icd.d \
    /usr/local/nvidia/share/vulkan/icd.d -name '*.json' 2>/dev/null | grep -vE 'lvp|llvmpipe|swrast|virtio|gfxstream' || true
}

# Sets GPU_APIS to those of cuda and vulkan that have a GPU, the preferred one first, and points the loader at the GPU's Vulkan driver.
find_gpus() {
  local drivers
  GPU_APIS=()
  if "$BUILD/bin/helios-doctor" --device cuda 2>/dev/null | grep -qE '^ *cuda:[0-9]+ '; then GPU_APIS+=(cuda); fi
  drivers=${VK_DRIVER_FILES:-$(gpu_drivers | paste -sd:)}
  if [ -n "$drivers" ] &&
    VK_DRIVER_FILES=$drivers "$BUILD/bin/helios-doctor" 2>/dev/null | grep -E '^ *vulkan:[0-9]+' | grep -qvi cpu; then
    export VK_DRIVER_FILES=$drivers
    GPU_APIS+=(vulkan)
  fi
}

# Sets LAUNCHER and API: a CUDA GPU, one that answers through the system's own Vulkan loader, or lavapipe.
choose_device() {
  find_gpus
  LAUNCHER=()
  API=${GPU_APIS[0]:-vulkan}
  ON_GPU=yes
  case ${GPU_APIS[0]:-} in
    cuda) echo "      device: a GPU, through its CUDA driver" ;;
    vulkan) echo "      device: a GPU, through this system's Vulkan loader" ;;
    *)
      LAUNCHER=("$LAVAPIPE/vkrun")
      ON_GPU=no
      echo "      device: lavapipe on the CPU, as no GPU answers; its times are no performance figures"
      ;;
  esac
}

# Bundles for every API that can do the kernel, and beside them the names of those APIs.
compile_examples() {
  local example name bundle api targets
  mkdir -p "$BUILD/examples"
  for example in "$ROOT"/examples/*.mlir; do
    name=$(basename "$example" .mlir)
    bundle=$BUILD/examples/$name.hlx
    [ "$example" -nt "$bundle" ] || [ "$BUILD/bin/helios-compile" -nt "$bundle" ] || [ ! -f "$bundle.apis" ] || continue
    echo "$name"
    targets=(cuda vulkan)
    if ! "$BUILD/bin/helios-compile" "$example" --target=cuda --target=vulkan -o "$bundle" 2>/dev/null; then
      targets=()
      for api in cuda vulkan; do
        if "$BUILD/bin/helios-compile" "$example" --target="$api" -o "$bundle" 2>/dev/null; then targets+=("$api"); fi
      done
      # Without any, all errors show.
      [ ${#targets[@]} -gt 0 ] || targets=(cuda vulkan)
      "$BUILD/bin/helios-compile" "$example" "${targets[@]/#/--target=}" -o "$bundle"
    fi
    echo "${targets[*]}" >"$bundle.apis"
  done
}

# Whether status $1 weighs more than $2, as helios-bench weighs its cases: a wrong result most, a slower one least.
weighs_more() {
  local order=' 0 5 3 2 4 1 ' a b
  a=${order%% "$1" *} b=${order%% "$2" *}
  [ ${#a} -gt ${#b} ]
}

# runs ARGUMENTS...: one call of helios-bench; remembers the weightiest exit status.
worst=0
runs() {
  local status=0
  "${LAUNCHER[@]}" "$BUILD/bin/helios-bench" "$@" || status=$?
  [ "$status" -ne 130 ] || EXIT_CODE=130 die 'interrupted'
  if [ "$status" -gt 128 ]; then
    EXIT_CODE=$status die "helios-bench was ended by signal $((status - 128)) during: helios-bench $*" \
      "If the driver crashed, helios-doctor --fresh and docs/debugging.md help to find the kernel."
  fi
  if weighs_more "$status" "$worst"; then worst=$status; fi
}

default_list() {
  local example name examples=() gemms
  for example in "$ROOT"/examples/*.mlir; do
    # Peak kernels are ceilings (--ceilings), with no result to check.
    case $example in */peak_*) continue ;; esac
    name=$(basename "$example")
    if ! grep -qw "$API" "$BUILD/examples/${name%.mlir}.hlx.apis"; then
      echo "$name is left out: no row of $API does it"
      continue
    fi
    examples+=("$example")
  done
  runs run "${examples[@]}" --device "$API" --target "$API"
  if [ $ON_GPU = yes ]; then gemms=1024x1024x1024,4096x4096x4096,8192x8192x8192; else gemms=128x128x128,257x129x65,256x256x256; fi
  runs gemm --shapes $gemms --types f16:f16:f32:f16 --layout nt --epilogue none,bias+gelu --device "$API" --target "$API"
}

# The comparison with cuBLAS on every API of this machine's GPU.
l4_suite() {
  find_gpus
  if [ "${GPU_APIS[0]:-}" != cuda ]; then
    EXIT_CODE=3 die 'this machine has no CUDA GPU, so that there is nothing to compare with' \
      'helios-doctor says which devices a program sees, and why others do not answer.'
  fi
  local status=0
  python3 "$ROOT/scripts/l4.py" --bin "$BUILD/bin" --apis "$(IFS=,; echo "${GPU_APIS[*]}")" --out "$BUILD/l4" || status=$?
  trap - ERR EXIT
  exit $status
}

verdict() {
  case $worst in
    0) printf '\nbench.sh: done, no result is wrong (%d s)\n' "$SECONDS" ;;
    1) EXIT_CODE=1 die 'a result is wrong: the tables above name it, and the lines below each say where' ;;
    2) EXIT_CODE=2 die 'helios-bench refused its input, as it says above' ;;
    3) EXIT_CODE=3 die 'this device cannot do some of the kernels: the tables above name them' ;;
    4) EXIT_CODE=4 die 'the device failed, as helios-bench says above' 'helios-doctor tells what the device and its driver offer.' ;;
    5) EXIT_CODE=5 die 'a kernel is slower than the baseline: the table above names it' ;;
    *) EXIT_CODE=$worst die "helios-bench ended with $worst, which it does not document" ;;
  esac
}

if [ "${1:-}" = --suite ]; then
  [ "${2:-} $#" = 'l4 2' ] || EXIT_CODE=2 die "--suite: expected l4 and nothing after it, got '${*:2}'"
  l4_suite
fi
step 'examples, compiled' 'helios-compile names the file and line; docs/debugging.md says how to look further.' compile_examples
STEP=$((STEP + 1))
STEP_TITLE='benchmark'
printf '[%d/%d] %s\n' "$STEP" "$STEPS" "$STEP_TITLE"
choose_device
trap - ERR
if [ $# -gt 0 ]; then runs "$@"; else default_list; fi
verdict
