#!/usr/bin/env bash
# Checks and times everything on a machine with a GPU, and writes JSON for docs/benchmarks.
#
#   scripts/gpu.sh [--only PART] --prepare DIR    where the compiler is: compiles every kernel of the run into DIR/bundles, copies the programs
#   scripts/gpu.sh [--only PART] --run DIR OUT    on the GPU machine: needs DIR alone (no compiler, no LLVM); results go to OUT
#   scripts/gpu.sh [--only PART] DIR OUT          both, on one machine
#
# PART is cuda or vulkan; without --only both run. DIR holds x86-64 programs and bundles. Exit status 1: something failed, the last lines say what.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${HELIOS_BUILD:-build}

usage() { sed -n '2,8p' "$0"; }

# The runs of a part: one line each, name and arguments of helios-bench gemm.
runs() {
  if [ "$1" = cuda ]; then
    cat <<'R'
cuda-gemm-odd --shapes 1x1x1,17x31x13,127x129x65,1000x1016x520,64x64x0 --layout nn,nt,tn,tt --check-only --target cuda
cuda-gemm-epilogues --shapes 1000x1016x520 --epilogue bias,bias+relu,bias+gelu,residual,alpha_beta --layout nn --check-only --target cuda
cuda-gemm-types --warmup 100 --iters 50 --shapes 2048x2048x2048 --types f16:f16:f32:f32,bf16:bf16:f32:bf16 --layout nt --target cuda
cuda-gemm-speed --warmup 300 --iters 100 --shapes 4096x4096x4096,8192x8192x8192 --types bf16:bf16:f32:bf16 --layout nn,nt --epilogue none,bias+gelu --target cuda
R
    return
  fi
  cat <<'R'
gemm-speed --warmup 500 --iters 100 --shapes 4096x4096x4096 --layout nn,nt --epilogue none,bias+gelu --ceilings --target vulkan:nvidia
gemm-shapes --warmup 200 --iters 50 --shapes 512x512x512,1024x1024x1024,2048x2048x2048,3072x3072x3072,8192x8192x8192,4096x4096x14336 --layout nn,nt,tn,tt --ceilings --target vulkan:nvidia
gemm-types --warmup 200 --iters 50 --shapes 2048x2048x2048 --types f16:f16:f32:f32,bf16:bf16:f32:bf16,f16:f16:f16:f16 --layout nt --ceilings --target vulkan:nvidia
gemm-odd --shapes 1x1x1,17x31x13,127x129x65,1000x1016x520,2040x2056x512,4095x4097x2051,64x64x0 --layout nn,nt,tn,tt --check-only
gemm-epilogues --shapes 1000x1016x520 --epilogue bias,bias+relu,bias+gelu,gelu_tanh,silu,residual,scale,row_scale,alpha_beta --layout nn --check-only
gemm-batch --shapes 512x512x512 --batch 8 --layout nn,nt --check-only
R
}

# The peak kernels that travel with the bundles.
peaks() { printf -- '--ceiling-bundle %s/examples/peak_f16_f32.mlir,%s/examples/peak_f16_f16.mlir,%s/examples/peak_bf16_f32.mlir' "$1" "$1" "$1"; }

prepare() {
  local part name arguments
  mkdir -p "$1/bin" "$1/bundles"
  cp "$build"/bin/helios-{bench,doctor,bundle,cts} "$1/bin/"
  cp -r examples "$1/"
  for part in $parts; do
    while read -r name arguments; do
      echo "[prepare] $name"
      # The null device compiles and plans, but runs nothing; one bundle serves every shape.
      arguments=$(sed -E "s/--shapes [^ ]+/--shapes 64x64x64/; s|--ceilings|$(peaks "$1")|" <<<"$arguments")
      # shellcheck disable=SC2086
      "$build/bin/helios-bench" gemm $arguments --device null --check-only --bundle-cache "$1/bundles" \
        --compiler "$build/bin/helios-compile" >"$1/prepare-$name.log" 2>&1 || true
    done < <(runs "$part")
  done
}

run() {
  local part name arguments device failed=()
  mkdir -p "$2"
  "$1/bin/helios-doctor" --json >"$2/doctor.json" || true
  "$1/bin/helios-doctor" | head -60 || true
  for part in $parts; do
    device=$part
    [ "$part" = cuda ] || device=${HELIOS_DEVICE:-vulkan}
    echo "[run] conformance of the $part driver"
    "$1/bin/helios-cts" --device "$device" >"$2/cts-$part.txt" 2>&1 || failed+=("cts-$part")
    grep -v '^passed' "$2/cts-$part.txt" || true
    while read -r name arguments; do
      echo "[run] $name"
      arguments=${arguments/--ceilings/$(peaks "$1")}
      # shellcheck disable=SC2086
      "$1/bin/helios-bench" gemm $arguments --device "$device" --bundle-cache "$1/bundles" \
        --json "$2/$name.json" 2>"$2/$name.log" | tee "$2/$name.txt" || failed+=("$name")
    done < <(runs "$part")
  done
  [ ${#failed[@]} -eq 0 ] && return
  echo "failed: ${failed[*]} (see $2/NAME.log and $2/cts-PART.txt)"
  return 1
}

parts="cuda vulkan"
if [ "${1:-}" = --only ]; then
  case ${2:-} in
  cuda | vulkan) parts=$2 ;;
  *)
    echo "gpu.sh: --only takes cuda or vulkan, got '${2:-}'" >&2
    exit 2
    ;;
  esac
  shift 2
fi
case ${1:-} in
--prepare) prepare "$2" ;;
--run) run "$2" "$3" ;;
"" | -h | --help) usage ;;
*) prepare "$1" && run "$1" "$2" ;;
esac
