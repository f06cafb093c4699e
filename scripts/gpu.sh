#!/usr/bin/env bash
# Checks and times everything on a machine with a GPU, and writes JSON for docs/benchmarks.
#
#   scripts/gpu.sh [--only NAMES] --prepare DIR   where the compiler is: compiles every kernel of the run into DIR/bundles, copies the programs
#   scripts/gpu.sh [--only NAMES] --run DIR OUT   on the GPU machine: needs DIR alone (no compiler, no LLVM); results go to OUT
#   scripts/gpu.sh [--only NAMES] DIR OUT         both, on one machine
#   scripts/gpu.sh [--only NAMES] --list          the runs by name, with their arguments
#
# NAMES, with commas between, are beginnings of runs' names: cuda, vulkan, cuda-check, cuda-speed. Without --only all run. DIR holds x86-64 programs
# and bundles. Exit status 1: something failed, the last lines say what; 2: usage.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${HELIOS_BUILD:-build}

usage() { sed -n '2,10s/^# \{0,1\}//p' "$0"; }

# All runs: one line each, name and arguments of helios-bench gemm. Names begin with the API; cts is the drivers' conformance suite.
all_runs() {
  cat <<'R'
cuda-cts
cuda-check-shapes --shapes 1x1x1,17x31x13,127x129x65,1000x1016x520,2040x2056x512,64x64x0 --layout nn,nt,tn,tt --types bf16:bf16:f32:bf16 --check-only --target cuda:sm_90a
cuda-check-shapes-sm89 --shapes 1x1x1,17x31x13,127x129x65,1000x1016x520,2040x2056x512,64x64x0 --layout nn,nt,tn,tt --check-only --target cuda:sm_89
cuda-check-epilogues --shapes 1000x1016x520 --epilogue bias,bias+relu,bias+gelu,gelu_tanh,silu,residual,scale,row_scale,alpha_beta --layout nn,nt --types bf16:bf16:f32:bf16 --check-only --target cuda:sm_90a
cuda-check-epilogues-sm89 --shapes 1000x1016x520 --epilogue bias,bias+relu,bias+gelu,gelu_tanh,silu,residual,scale,row_scale,alpha_beta --layout nn --check-only --target cuda:sm_89
cuda-check-batch --shapes 512x512x512,127x129x65 --batch 8 --layout nn,nt --check-only --target cuda:sm_90a
cuda-check-batch-sm89 --shapes 512x512x512,127x129x65 --batch 8 --layout nn,nt --check-only --target cuda:sm_89
cuda-check-types --shapes 520x264x136 --types f16:f16:f32:f32,f16:f16:f16:f16,f32:f32:f32:f32 --layout nn,nt --check-only --target cuda
cuda-speed --warmup 200 --iters 50 --shapes 1024x1024x1024,2048x2048x2048,4096x4096x4096,8192x8192x8192 --types bf16:bf16:f32:bf16 --layout nn,nt --compare cublas --ceilings --target cuda:sm_90a
cuda-sm89 --warmup 100 --iters 50 --shapes 1024x1024x1024,2048x2048x2048,4096x4096x4096,8192x8192x8192 --types f16:f16:f32:f16,bf16:bf16:f32:bf16 --layout nn,nt --ceilings --target cuda:sm_89
cuda-epilogues --warmup 200 --iters 50 --shapes 4096x4096x4096 --types bf16:bf16:f32:bf16 --layout nt --epilogue none,bias+relu,bias+gelu --compare cublas --target cuda:sm_90a
cuda-odd --warmup 200 --iters 50 --shapes 2040x2056x4104,4104x2040x2056 --types bf16:bf16:f32:bf16 --layout nn,nt --compare cublas --target cuda:sm_90a
vulkan-cts
vulkan-speed --warmup 500 --iters 100 --shapes 4096x4096x4096 --layout nn,nt --epilogue none,bias+gelu --ceilings --target vulkan:nvidia
vulkan-shapes --warmup 200 --iters 50 --shapes 512x512x512,1024x1024x1024,2048x2048x2048,3072x3072x3072,8192x8192x8192,4096x4096x14336 --layout nn,nt,tn,tt --ceilings --target vulkan:nvidia
vulkan-types --warmup 200 --iters 50 --shapes 2048x2048x2048 --types f16:f16:f32:f32,bf16:bf16:f32:bf16,f16:f16:f16:f16 --layout nt --ceilings --target vulkan:nvidia
vulkan-check-shapes --shapes 1x1x1,17x31x13,127x129x65,1000x1016x520,2040x2056x512,4095x4097x2051,64x64x0 --layout nn,nt,tn,tt --check-only
vulkan-check-epilogues --shapes 1000x1016x520 --epilogue bias,bias+relu,bias+gelu,gelu_tanh,silu,residual,scale,row_scale,alpha_beta --layout nn --check-only
vulkan-check-batch --shapes 512x512x512 --batch 8 --layout nn,nt --check-only
R
}

# The runs that --only asks for.
runs() {
  local name arguments beginning
  while read -r name arguments; do
    for beginning in ${only//,/ }; do
      [ "${name#"$beginning"}" = "$name" ] || { echo "$name $arguments"; break; }
    done
  done < <(all_runs)
}

prepare() {
  local name arguments
  [ ! -f "$build/build.ninja" ] || ninja -C "$build" helios-{bench,doctor,bundle,cts,compile} >/dev/null
  mkdir -p "$1/bin" "$1/bundles"
  cp "$build"/bin/helios-{bench,doctor,bundle,cts} "$1/bin/"
  cp -r examples "$1/" # --ceilings looks for its kernels there
  while read -r name arguments; do
    [ -n "$arguments" ] || continue
    echo "[prepare] $name"
    # The null device compiles and plans, but runs nothing; one bundle serves every shape.
    arguments=$(sed -E "s/--shapes [^ ]+/--shapes 64x64x64/; s/--compare [^ ]+//" <<<"$arguments")
    # shellcheck disable=SC2086
    "$build/bin/helios-bench" gemm $arguments --device null --check-only --bundle-cache "$1/bundles" \
      --compiler "$build/bin/helios-compile" >"$1/prepare-$name.log" 2>&1 || true
  done < <(runs)
}

run() {
  local name arguments device failed=()
  mkdir -p "$2"
  "$1/bin/helios-doctor" --json >"$2/doctor.json" || true
  "$1/bin/helios-doctor" | head -60 || true
  while read -r name arguments; do
    device=${name%%-*}
    [ "$device" = cuda ] || device=${HELIOS_DEVICE:-vulkan}
    echo "[run] $name (at $SECONDS s)"
    if [ -z "$arguments" ]; then
      "$1/bin/helios-cts" --device "$device" >"$2/$name.txt" 2>&1 || failed+=("$name")
      grep -v '^passed' "$2/$name.txt" || true
      continue
    fi
    # shellcheck disable=SC2086
    "$1/bin/helios-bench" gemm $arguments --device "$device" --bundle-cache "$1/bundles" \
      --json "$2/$name.json" 2>"$2/$name.log" | tee "$2/$name.txt" || failed+=("$name")
  done < <(runs)
  echo "[run] $SECONDS s"
  [ ${#failed[@]} -eq 0 ] && return
  echo "failed: ${failed[*]} (see $2/NAME.log, $2/NAME.txt)"
  return 1
}

only=cuda,vulkan
if [ "${1:-}" = --only ]; then
  only=${2:-}
  if [ -z "$(runs)" ]; then
    echo "gpu.sh: --only: no run's name begins with '$only'; they are $(all_runs | cut -d' ' -f1 | paste -sd' ')" >&2
    exit 2
  fi
  shift 2
fi
case ${1:-} in
--prepare) prepare "$2" ;;
--run) run "$2" "$3" ;;
--list) runs ;;
"" | -h | --help) usage ;;
*) prepare "$1" && run "$1" "$2" ;;
esac
