#!/usr/bin/env bash
# Checks and times everything on a machine with a GPU, and writes JSON for docs/benchmarks.
#
#   scripts/gpu.sh [--only NAMES] --prepare DIR   where the compiler is: compiles every kernel of the run into DIR/bundles, copies the programs
#   scripts/gpu.sh [--only NAMES] --run DIR OUT   on the GPU machine: needs DIR alone (no compiler, no LLVM); results go to OUT
#   scripts/gpu.sh [--only NAMES] DIR OUT         both, on one machine
#   scripts/gpu.sh [--only NAMES] --list          the runs by name, with their arguments
#
# NAMES, with commas between, are beginnings of runs' names: cuda, vulkan, cuda-check, cuda-speed. Without --only all run. DIR holds x86-64 programs
# and bundles; it brings this script along, as DIR/scripts/gpu.sh. A run whose peer is missing (cuBLASLt, Triton, PyTorch) says so and is no failure.
# Exit status 1: something failed, the last lines say what; 2: usage.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${HELIOS_BUILD:-build}
python=${HELIOS_PYTHON:-python3} # one that has Triton prepares its kernels

usage() { sed -n '2,12s/^# \{0,1\}//p' "$0"; }

# All runs: one line each, name, kind and arguments. Names begin with the API. Kinds:
#   cts            the drivers' conformance suite
#   gemm           helios-bench gemm
#   attention      helios-bench attention
#   hard NAME      a program of test/hard with its launch plan (bench/hard), by helios-bench run
#   l4             scripts/l4.py, on both APIs
#   triton, torch  bench/compare_triton.py, bench/compare_torch.py
#   transformer    bench/transformer.py
all_runs() {
  cat <<'R'
cuda-cts cts
cuda-check-shapes gemm --shapes 1x1x1,17x31x13,127x129x65,127x129x165,300x304x1003,1000x1016x520,2040x2056x512,64x64x0 --layout nn,nt,tn,tt --types bf16:bf16:f32:bf16 --check-only --target cuda:sm_90a
cuda-check-shapes-sm89 gemm --shapes 1x1x1,17x31x13,127x129x65,127x129x165,300x304x1003,1000x1016x520,2040x2056x512,64x64x0 --layout nn,nt,tn,tt --check-only --target cuda:sm_89
cuda-check-epilogues gemm --shapes 1000x1016x520 --epilogue bias,bias+relu,bias+gelu,gelu_tanh,silu,residual,scale,row_scale,alpha_beta --layout nn,nt --types bf16:bf16:f32:bf16 --check-only --target cuda:sm_90a
cuda-check-epilogues-sm89 gemm --shapes 1000x1016x520 --epilogue bias,bias+relu,bias+gelu,gelu_tanh,silu,residual,scale,row_scale,alpha_beta --layout nn --check-only --target cuda:sm_89
cuda-check-narrow gemm --random-shapes 40:4:900 --seed 77 --types f16:f16:f32:f16,bf16:bf16:f32:f32,e4m3:e4m3:f32:bf16,tf32:tf32:f32:f32,i8:i8:i32:i32 --layout nn,nt,tn --check-only --target cuda:sm_90a
cuda-check-batch gemm --shapes 512x512x512,127x129x65 --batch 8 --layout nn,nt --check-only --target cuda:sm_90a
cuda-check-batch-sm89 gemm --shapes 512x512x512,127x129x65 --batch 8 --layout nn,nt --check-only --target cuda:sm_89
cuda-check-types gemm --shapes 520x264x136 --types f16:f16:f32:f32,f16:f16:f16:f16,f32:f32:f32:f32 --layout nn,nt --check-only --target cuda
cuda-check-floats8 gemm --shapes 520x264x144,136x1000x96,17x31x13,2048x2048x2048 --types e4m3:e4m3:f32:bf16,e5m2:e4m3:f32fast:f32 --layout nt,nn --check-only --target cuda:sm_90a
cuda-check-floats8-sm89 gemm --shapes 520x264x144,136x1000x96,17x31x13,2048x2048x2048 --types e4m3:e4m3:f32:bf16,e4m3:e5m2:f32fast:f32 --layout nt,nn --check-only --target cuda:sm_89
cuda-speed-bytes gemm --warmup 200 --iters 50 --shapes 2048x2048x2048,4096x4096x4096,8192x8192x8192 --types e4m3:e4m3:f32:bf16,e4m3:e4m3:f32fast:bf16,i8:i8:i32:i32 --layout nt --compare cublas --target cuda:sm_90a
cuda-ceilings gemm --shapes 256x256x256 --types bf16:bf16:f32:bf16 --iters 10 --repetitions 1 --ceilings --target cuda:sm_90a
cuda-speed-large gemm --warmup 200 --iters 50 --shapes 4096x4096x4096,8192x8192x8192 --types bf16:bf16:f32:bf16 --layout nn,nt --compare cublas --target cuda:sm_90a
cuda-speed-small gemm --warmup 200 --iters 50 --shapes 512x512x512,1024x1024x1024,2048x2048x2048,3072x3072x3072 --types bf16:bf16:f32:bf16 --layout nn,nt --compare cublas --target cuda:sm_90a
cuda-speed-middle gemm --warmup 200 --iters 50 --shapes 1024x1024x1024,3072x3072x3072 --types bf16:bf16:f32:bf16 --layout nn,nt --compare cublas --target cuda:sm_90a
cuda-sm89 gemm --warmup 100 --iters 50 --shapes 1024x1024x1024,2048x2048x2048,3072x3072x3072,4096x4096x4096,8192x8192x8192 --types f16:f16:f32:f16,bf16:bf16:f32:bf16 --layout nn,nt --ceilings --target cuda:sm_89
cuda-sm89-rested gemm --rest-ms 20 --iters 15 --repetitions 2 --shapes 2048x2048x2048,3072x3072x3072,4096x4096x4096,8192x8192x8192 --types f16:f16:f32:f16,bf16:bf16:f32:bf16 --layout nn,nt --ceilings --target cuda:sm_89
cuda-class-cublas gemm --warmup 100 --iters 30 --repetitions 1 --shapes 1024x1024x1024,2048x2048x2048,4096x4096x4096,8192x8192x8192 --types bf16:bf16:f32:bf16 --layout nn,nt --compare cublas:sm80 --target cuda:sm_89
cuda-class-cublas-f16 gemm --warmup 100 --iters 30 --repetitions 1 --shapes 1024x1024x1024,2048x2048x2048,4096x4096x4096,8192x8192x8192 --types f16:f16:f32:f16 --layout nn,nt --compare cublas:sm80 --target cuda:sm_89
cuda-class-cublas-3072 gemm --warmup 100 --iters 30 --repetitions 1 --shapes 3072x3072x3072 --types bf16:bf16:f32:bf16 --layout nn,nt --compare cublas:sm80 --target cuda:sm_89
cuda-class-cublas-3072-f16 gemm --warmup 100 --iters 30 --repetitions 1 --shapes 3072x3072x3072 --types f16:f16:f32:f16 --layout nn,nt --compare cublas:sm80 --target cuda:sm_89
cuda-class-triton triton --shapes 1024x1024x1024,2048x2048x2048,4096x4096x4096,8192x8192x8192 --types bf16 --layout nn,nt
cuda-class-triton-f16 triton --shapes 1024x1024x1024,2048x2048x2048,4096x4096x4096,8192x8192x8192 --types f16 --layout nn,nt
cuda-class-triton-1024 triton --shapes 1024x1024x1024,3072x3072x3072 --types bf16 --layout nn,nt
cuda-class-triton-1024-f16 triton --shapes 1024x1024x1024,3072x3072x3072 --types f16 --layout nn,nt
cuda-torch torch --shapes 2048x2048x2048,4096x4096x4096,8192x8192x8192 --types bf16 --layout nn,nt --attention= --target cuda:sm_90a
cuda-torch-epilogues torch --shapes 4096x4096x4096 --types bf16 --layout nt --epilogue bias,bias+relu,bias+gelu --attention= --target cuda:sm_90a
cuda-torch-pairs torch --shapes 4096x14336x4096 --types bf16 --layout nn,nt --epilogue silu+pair --attention= --target cuda:sm_90a
cuda-torch-attention torch --shapes= --types bf16 --attention 4x16x16x4096x128,4x16x16x2048x64,1x32x8x8192x128 --target cuda:sm_90a
cuda-torch-attention-small torch --shapes= --types f16 --attention 1x8x8x512x64,2x8x8x512x64,2x8x8x2048x64 --region full --target cuda:sm_90a
cuda-class-attention torch --shapes= --types bf16 --attention 4x16x16x4096x128,4x32x32x4096x64 --region full --target cuda:sm_89
cuda-class-attention-causal torch --shapes= --types bf16 --attention 4x16x16x4096x128,4x32x32x4096x64 --target cuda:sm_89
cuda-regions torch --shapes= --types bf16 --attention 4x16x16x4096x128,4x32x32x4096x64 --region alibi,softcap,bias,documents --target cuda:sm_90a
cuda-regions-apart torch --shapes= --types bf16 --attention 4x16x16x4096x128,4x32x32x4096x64 --region documents_apart,window,prefix --target cuda:sm_90a
cuda-set-bf16 gemm --warmup 100 --iters 30 --whole 8 --shapes 512x512x512,1024x1024x1024,2048x2048x2048,3072x3072x3072,4096x4096x4096,6144x6144x6144,8192x8192x8192,128x4096x4096,4096x4096x14336,4096x14336x4096,8192x1024x8192,2048x2048x65536,16384x16384x16384 --types bf16:bf16:f32:bf16 --layout nn,nt --compare cublas --target cuda:sm_90a
cuda-set-f16 gemm --warmup 100 --iters 30 --whole 8 --shapes 512x512x512,1024x1024x1024,2048x2048x2048,3072x3072x3072,4096x4096x4096,6144x6144x6144,8192x8192x8192,128x4096x4096,4096x4096x14336,4096x14336x4096,8192x1024x8192,2048x2048x65536,16384x16384x16384 --types f16:f16:f32:f16 --layout nn,nt --compare cublas --target cuda:sm_90a
cuda-random gemm --warmup 30 --warmup-ms 60 --iters 15 --repetitions 2 --whole 8 --seed 20261129 --random-shapes 200 --types bf16:bf16:f32:bf16 --layout nt --compare cublas --target cuda:sm_90a
cuda-skinny gemm --warmup 200 --iters 50 --shapes 1x4096x4096,16x4096x4096,64x4096x4096,1x14336x4096,16x14336x4096,64x14336x4096,1x4096x14336,16x4096x14336,64x4096x14336 --types bf16:bf16:f32:bf16 --layout nn,nt --compare cublas --target cuda:sm_90a
cuda-one-row gemm --warmup 200 --iters 40 --whole 0 --shapes 1x4096x4096,1x14336x4096,1x4096x14336 --types bf16:bf16:f32:bf16 --layout nt --constant none,b --compare cublas --target cuda:sm_90a
cuda-mixed gemm --warmup 200 --iters 50 --shapes 1x4096x4096,16x4096x4096,16x14336x4096,64x4096x4096,1024x4096x4096 --types bf16:bf16:f32:bf16 --layout nt --weights i8:128,i4:128 --target cuda:sm_90a
cuda-results gemm --warmup 200 --iters 50 --shapes 4096x4096x4096 --types bf16:bf16:f32:bf16 --layout nt --epilogue bias+gelu,bias+aux+gelu --target cuda:sm_90a
cuda-batch-invariant gemm --warmup 200 --iters 50 --shapes 4096x4096x4096 --types bf16:bf16:f32:bf16 --layout nt --batch-invariant --compare cublas --target cuda:sm_90a
cuda-epilogues gemm --warmup 200 --iters 50 --shapes 4096x4096x4096 --types bf16:bf16:f32:bf16 --layout nt --epilogue none,bias+relu,bias+gelu,bias+gelu_tanh --compare cublas --target cuda:sm_90a
cuda-odd gemm --warmup 200 --iters 50 --shapes 2048x2048x4096,2040x2056x4104,4096x2048x2048,4104x2040x2056 --types bf16:bf16:f32:bf16 --layout nn,nt --compare cublas --target cuda:sm_90a
cuda-neighbours gemm --warmup 200 --iters 50 --shapes 4096x4096x4096,4104x4104x4104 --types bf16:bf16:f32:bf16 --layout nn,nt --compare cublas --target cuda:sm_90a
cuda-narrow-nt gemm --warmup 30 --warmup-ms 60 --iters 15 --repetitions 2 --whole 0 --shapes 24x6648x3642,48x1796x3740,27x73x7194,344x103x6326,48x504x4332,648x104x5746,208x7712x58,2744x955x28,4297x1248x22,72x256x118,1423x120x7748,192x5723x25,96x6024x23,112x6600x53 --types bf16:bf16:f32:bf16 --layout nt --compare cublas --target cuda:sm_90a
cuda-narrow-nn gemm --warmup 30 --warmup-ms 60 --iters 15 --repetitions 2 --whole 0 --shapes 896x3076x104,144x422x1992,238x22x2112,32x104x4554 --types bf16:bf16:f32:bf16 --layout nn --compare cublas --target cuda:sm_90a
cuda-few-tiles gemm --warmup 30 --warmup-ms 60 --iters 15 --repetitions 2 --whole 0 --shapes 216x72x1528,208x160x2408,56x176x13856,64x264x1992,72x32x11360,144x144x2736,280x40x1616,360x48x3752,920x312x5232,48x1872x1368,1024x1024x8192 --types bf16:bf16:f32:bf16 --layout nn,nt --compare cublas --target cuda:sm_90a
cuda-squares-sm89 gemm --warmup 200 --iters 60 --whole 0 --graph 40 --shapes 1024x1024x1024,2048x2048x2048,3072x3072x3072 --layout nn,nt --target cuda:sm_89
cuda-hard-gemm-sm90 hard gemm-sm90 --shapes 1000x520,1016x520,1016;2048x2048,2048x2048,2048;4096x4096,4096x4096,4096;8192x8192,8192x8192,8192 --target cuda:sm_90a
cuda-hard-gemm-sm89 hard gemm-sm89 --shapes 1000x520,1016x520;2048x2048,2048x2048;4096x4096,4096x4096;8192x8192,8192x8192 --target cuda:sm_89
cuda-hard-attention-sm90 hard attention-sm90 --shapes 2x8x1000x128,2x2x1000x128,2x2x1000x128;4x16x4096x128,4x16x4096x128,4x16x4096x128;16x16x1024x128,16x16x1024x128,16x16x1024x128;1x16x16384x128,1x16x16384x128,1x16x16384x128 --target cuda:sm_90a
cuda-hard-attention-full-sm90 hard attention-full-sm90 --shapes 2x8x1000x128,2x2x1000x128,2x2x1000x128;4x16x4096x128,4x16x4096x128,4x16x4096x128;16x16x1024x128,16x16x1024x128,16x16x1024x128;1x16x16384x128,1x16x16384x128,1x16x16384x128 --target cuda:sm_90a
cuda-hard-attention-64-sm90 hard attention-64-sm90 --shapes 2x8x1000x64,2x2x1000x64,2x2x1000x64;2x8x2048x64,2x8x2048x64,2x8x2048x64;4x32x4096x64,4x32x4096x64,4x32x4096x64;1x32x16384x64,1x32x16384x64,1x32x16384x64 --target cuda:sm_90a
cuda-check-attention attention --shapes 1x2x17x64,2x8x511x64,1x4x1000x128,1x8x128x128:4096:2,2x8x1x128:1000:2 --types bf16 --check-only --target cuda:sm_90a
cuda-check-attention-causal attention --shapes 1x2x17x64,2x8x511x64,1x4x1000x128,1x8x128x128:4096:2 --types bf16 --causal --check-only --target cuda:sm_90a
cuda-check-attention-decode attention --shapes 2x8x1x128:1000:2,1x32x4x128:3000:8,1x8x16x128:5000:2,3x4x2x128:77:1 --types bf16 --causal --window 900 --lse --layout bshd --check-only --target cuda:sm_90a
cuda-check-attention-sm89 attention --shapes 1x2x17x64,2x8x511x64,1x4x1000x128,1x8x128x128:4096:2 --causal --check-only --target cuda:sm_89
cuda-attention-full attention --shapes 4x16x4096x128,4x32x4096x64,4x8x4096x256,1x16x16384x128,1x32x16384x64,16x16x1024x128,16x96x4096x128,16x96x4096x64 --types bf16 --whole 0 --compare cudnn --target cuda:sm_90a
cuda-attention-causal attention --shapes 4x16x4096x128,4x32x4096x64,4x8x4096x256,1x16x16384x128,1x32x16384x64,16x16x1024x128,16x96x4096x128,16x96x4096x64 --types bf16 --causal --whole 0 --compare cudnn --target cuda:sm_90a
cuda-attention-f16 attention --shapes 4x16x4096x128,4x32x4096x64,4x8x4096x256,1x16x16384x128,1x32x16384x64,16x16x1024x128 --types f16 --whole 0 --compare cudnn --target cuda:sm_90a
cuda-attention-f16-causal attention --shapes 4x16x4096x128,4x32x4096x64,4x8x4096x256,1x16x16384x128,1x32x16384x64,16x16x1024x128 --types f16 --causal --whole 0 --compare cudnn --target cuda:sm_90a
cuda-attention-small attention --shapes 1x8x512x64,2x8x512x64,2x8x2048x64 --types f16 --compare cudnn --target cuda:sm_90a
cuda-attention-decode attention --shapes 32x32x1x128:8192:8,1x32x1x128:8192:8,1x32x1x128:32768:8,1x32x1x128:131072:8 --types bf16 --whole 0 --graph 32 --target cuda:sm_90a
cuda-tile-128x256 gemm --schedule strategy=roles,tile=128x256x64,groups=2x1,depth=4,raster=16,items=persistent SM90_TILE
cuda-tile-128x192 gemm --schedule strategy=roles,tile=128x192x64,groups=2x1,depth=4,raster=16,items=persistent SM90_TILE
cuda-tile-128x128 gemm --schedule strategy=roles,tile=128x128x64,groups=2x1,depth=6,raster=16,items=persistent SM90_TILE
cuda-tile-256x128 gemm --schedule strategy=roles,tile=256x128x64,groups=2x1,depth=4,raster=16,items=persistent SM90_TILE
cuda-tile-64x256 gemm --schedule strategy=roles,tile=64x256x64,groups=1x1,depth=4,raster=16,items=persistent SM90_TILE
cuda-tile-128x64 gemm --schedule strategy=roles,tile=128x64x64,groups=2x1,depth=6,raster=16,items=persistent SM90_TILE
cuda-tile-192x128 gemm --schedule strategy=roles,tile=192x128x64,groups=3x1,depth=4,raster=16,items=persistent SM90_TILE
cuda-l4 l4
cuda-instructions instructions
vulkan-cts cts
vulkan-ceilings gemm --shapes 256x256x256 --iters 10 --repetitions 1 --ceilings --target vulkan:nvidia
vulkan-speed gemm --warmup 500 --iters 100 --shapes 4096x4096x4096 --layout nn,nt --epilogue none,bias+gelu --ceilings --target vulkan:nvidia
vulkan-shapes gemm --warmup 200 --iters 50 --shapes 512x512x512,1024x1024x1024,2048x2048x2048,3072x3072x3072,8192x8192x8192,4096x4096x14336 --layout nn,nt,tn,tt --ceilings --target vulkan:nvidia
vulkan-squares gemm --warmup 200 --iters 60 --whole 0 --graph 40 --shapes 1024x1024x1024,2048x2048x2048,3072x3072x3072 --layout nn,nt --constant none,b --ceilings --target vulkan:nvidia
vulkan-types gemm --warmup 200 --iters 50 --shapes 2048x2048x2048 --types f16:f16:f32:f32,bf16:bf16:f32:bf16,f16:f16:f16:f16 --layout nt --ceilings --target vulkan:nvidia
vulkan-packed gemm --warmup 200 --iters 50 --shapes 2048x2048x2048,4096x4096x4096,8192x8192x8192 --constant none,b --ceilings --target vulkan:nvidia
vulkan-tile-128x128x32 gemm --schedule tile=128x128x32,groups=2x2 VULKAN_TILE
vulkan-tile-128x128x32-unroll2 gemm --schedule tile=128x128x32,groups=2x2,unroll=2 VULKAN_TILE
vulkan-tile-128x128x64 gemm --schedule tile=128x128x64,groups=2x4 VULKAN_TILE
vulkan-tile-128x128x64-unroll1 gemm --schedule tile=128x128x64,groups=2x4,unroll=1 VULKAN_TILE
vulkan-tile-128x256x32 gemm --schedule tile=128x256x32,groups=2x4 VULKAN_TILE
vulkan-tile-256x128x32 gemm --schedule tile=256x128x32,groups=4x2 VULKAN_TILE
vulkan-tile-64x128x32 gemm --schedule tile=64x128x32,groups=1x2 VULKAN_TILE
vulkan-check-shapes gemm --shapes 1x1x1,17x31x13,127x129x65,1000x1016x520,2040x2056x512,4095x4097x2051,64x64x0 --layout nn,nt,tn,tt --check-only
vulkan-check-epilogues gemm --shapes 1000x1016x520 --epilogue bias,bias+relu,bias+gelu,gelu_tanh,silu,residual,scale,row_scale,alpha_beta --layout nn --check-only
vulkan-check-attention attention --shapes 1x2x17x64,2x8x511x64,1x4x1000x128,1x8x128x128:4096:2 --causal --check-only --target vulkan:nvidia
vulkan-check-attention-bf16 attention --shapes 1x2x17x64,2x8x511x64,1x4x1000x128 --types bf16 --window 300 --score softcap+alibi --lse --check-only --target vulkan:nvidia
vulkan-attention-full attention --warmup-ms 800 --shapes 4x16x4096x128,4x32x4096x64 --whole 0 --ceilings --target vulkan:nvidia
vulkan-attention-causal attention --warmup-ms 800 --shapes 4x16x4096x128,4x32x4096x64 --causal --whole 0 --ceilings --target vulkan:nvidia
vulkan-attention-nv2-full attention --warmup-ms 800 --shapes 4x16x4096x128,4x32x4096x64 --whole 0 --ceilings --target vulkan:nvidia-nv2
vulkan-attention-nv2-causal attention --warmup-ms 800 --shapes 4x16x4096x128,4x32x4096x64 --causal --whole 0 --ceilings --target vulkan:nvidia-nv2
vulkan-attention-nv2-full-bf16 attention --warmup-ms 800 --shapes 4x16x4096x128,4x32x4096x64 --types bf16 --whole 0 --ceilings --target vulkan:nvidia-nv2
vulkan-attention-nv2-causal-bf16 attention --warmup-ms 800 --shapes 4x16x4096x128,4x32x4096x64 --types bf16 --causal --whole 0 --ceilings --target vulkan:nvidia-nv2
vulkan-attention-full-bf16 attention --warmup-ms 800 --shapes 4x16x4096x128,4x32x4096x64 --types bf16 --whole 0 --ceilings --target vulkan:nvidia
vulkan-attention-causal-bf16 attention --warmup-ms 800 --shapes 4x16x4096x128,4x32x4096x64 --types bf16 --causal --whole 0 --ceilings --target vulkan:nvidia
vulkan-check-attention-nv2 attention --shapes 1x2x17x64,2x8x511x64,1x4x1000x128,1x8x128x128:4096:2 --causal --lse --check-only --target vulkan:nvidia-nv2
vulkan-check-attention-nv2-bf16 attention --shapes 1x2x17x64,2x8x511x64,1x4x1000x128 --types bf16 --window 300 --score softcap+alibi --lse --check-only --target vulkan:nvidia-nv2
vulkan-check-batch gemm --shapes 512x512x512 --batch 8 --layout nn,nt --check-only
vulkan-transformer transformer --no-pack --row nvidia-nv2 --beside cuda --beside-row sm_89
vulkan-transformer-packed transformer --beside cuda --beside-row sm_89
vulkan-transformer-sm90 transformer --no-pack --row nvidia-nv2 --beside cuda --beside-row sm_90a
R
}

# What the tables of single schedules have in common.
tile_arguments() {
  sed -e 's/SM90_TILE/--warmup 100 --iters 50 --repetitions 1 --shapes 1024x1024x1024,2048x2048x2048,3072x3072x3072,4096x4096x4096 --types bf16:bf16:f32:bf16 --layout nt --target cuda:sm_90a/' \
    -e 's/VULKAN_TILE/--warmup 100 --iters 50 --repetitions 1 --shapes 4096x4096x4096 --layout nn,nt --target vulkan:nvidia/'
}

# The runs that --only asks for.
runs() {
  local name arguments beginning
  while read -r name arguments; do
    for beginning in ${only//,/ }; do
      [ "${name#"$beginning"}" = "$name" ] || { echo "$name $arguments"; break; }
    done
  done < <(all_runs | tile_arguments)
}

# make_hard NAME FILE: a program of test/hard with its launch plan behind it.
make_hard() {
  local kernel=${1%%-*}
  { sed "s/frag.kernel @$kernel(/frag.kernel @${kernel}_program(/" "test/hard/$1-frag.mlir"; cat "bench/hard/$1-frag.mlir"; } >"$2"
}

# reference NAME FOLDER: the flag that says what a hard program computes, if there is a description of that.
reference() {
  if [ -f "$2/$1-reference.mlir" ]; then echo "--reference $2/$1-reference.mlir"; fi
}

# prepare_one DIR KIND ARGUMENTS...: makes what a run needs. The null device compiles and plans, but runs nothing; one bundle serves every shape.
prepare_one() {
  local dir=$1 kind=$2 name
  shift 2
  local bench=("$build/bin/helios-bench")
  local without=(--device null --check-only --bundle-cache "$dir/bundles" --compiler "$build/bin/helios-compile")
  case $kind in
    gemm)
      # shellcheck disable=SC2046
      "${bench[@]}" gemm $(sed -E 's/--(random-)?shapes [^ ]+/--shapes 128x128x128/; s/--compare [^ ]+//' <<<"$*") "${without[@]}" ;;
    attention) # short rows of one head: what is compiled depends on the depths, and on whether queries are as many as keys
      # shellcheck disable=SC2046
      "${bench[@]}" attention $(sed -E 's/[0-9]+x[0-9]+x[0-9]+x([0-9x]+)(:[0-9:]+)/1x1x1x\1:64/g; s/[0-9]+x[0-9]+x[0-9]+x([0-9x]+)(,| |$)/1x1x64x\1\2/g; s/--compare [^ ]+//' <<<"$*") "${without[@]}" ;;
    hard)
      name=$1
      shift
      mkdir -p "$dir/hard"
      make_hard "$name" "$dir/hard/$name.mlir"
      [ ! -f "bench/hard/$name-reference.mlir" ] || cp "bench/hard/$name-reference.mlir" "$dir/hard/"
      # shellcheck disable=SC2046
      "${bench[@]}" run "$dir/hard/$name.mlir" $(reference "$name" "$dir/hard") "${@%%;*}" "${without[@]}" ;; # the first shapes
    l4) "$python" scripts/l4.py --bin "$build/bin" --bundles "$dir/bundles" --out "$dir/l4" --prepare ;;
    triton) "$python" bench/compare_triton.py "$@" --bin "$build/bin" --bundle-cache "$dir/bundles" --kernels "$dir/triton" --prepare ;;
    torch) "$python" bench/compare_torch.py "$@" --bin "$build/bin" --bundle-cache "$dir/bundles" --prepare ;;
    transformer) "$python" bench/transformer.py "$@" --bin "$build/bin" --bundle-cache "$dir/bundles" --prepare ;;
  esac
}

prepare() {
  local name kind arguments
  [ ! -f "$build/build.ninja" ] || ninja -C "$build" helios-{bench,doctor,bundle,cts,compile,emulate} helios >/dev/null
  mkdir -p "$1/bin" "$1/bundles" "$1/bench" "$1/scripts"
  cp "$build"/bin/helios-{bench,doctor,bundle,cts,emulate} "$1/bin/"
  mkdir -p "$1/instructions"
  cp test/Tools/helios-emulate/Inputs/{instructions,numbers_of_ptx,ptx_cases,engine_cases}.py "$1/instructions/"
  cp -L "$build/lib/libhelios.so" "$1/bin/"
  cp bench/*.py bench/transformer.mlir "$1/bench/"
  cp scripts/gpu.sh scripts/l4.py "$1/scripts/"
  cp -r examples "$1/" # --ceilings looks for its kernels there
  while read -r name kind arguments; do
    [ "$kind" != cts ] && [ "$kind" != instructions ] || continue
    echo "[prepare] $name"
    # shellcheck disable=SC2086
    prepare_one "$1" "$kind" $arguments >"$1/prepare-$name.log" 2>&1 ||
      echo "          ended with $?: $(tail -n 1 "$1/prepare-$name.log")"
  done < <(runs)
}

# The library that PyTorch came with, or nothing.
cudnn_of_torch() {
  "$python" -c 'import glob, nvidia.cudnn; print(glob.glob(list(nvidia.cudnn.__path__)[0] + "/lib/libcudnn.so*")[0])' 2>/dev/null || true
}

# run_one DIR OUT NAME KIND ARGUMENTS...
run_one() {
  local dir=$1 out=$2 name=$3 kind=$4 device=${3%%-*} program
  shift 4
  [ "$device" = cuda ] || device=${HELIOS_DEVICE:-vulkan}
  local common=(--device "$device" --bundle-cache "$dir/bundles" --json "$out/$name.json")
  case $kind in
    cts) "$dir/bin/helios-cts" --device "$device" ;;
    instructions) PATH=$dir/bin:$PATH "$python" "$dir/instructions/instructions.py" --gpu ;; # the emulator beside the card, bit by bit
    gemm) "$dir/bin/helios-bench" gemm "$@" "${common[@]}" ;;
    attention)
      # PyTorch's cuDNN where there is one: it is the peer, and later than what systems bring.
      [[ $* != *cudnn* || -z $(cudnn_of_torch) ]] || common+=(--cudnn "$(cudnn_of_torch)")
      "$dir/bin/helios-bench" attention "$@" "${common[@]}" ;;
    hard)
      program=$1
      shift
      # shellcheck disable=SC2046
      "$dir/bin/helios-bench" run "$dir/hard/$program.mlir" $(reference "$program" "$dir/hard") "$@" "${common[@]}" ;;
    l4) "$python" "$dir/scripts/l4.py" --bin "$dir/bin" --bundles "$dir/bundles" --out "$out/l4" ;;
    triton) "$python" "$dir/bench/compare_triton.py" "$@" "${common[@]}" --bin "$dir/bin" --kernels "$dir/triton" ;;
    torch) "$python" "$dir/bench/compare_torch.py" "$@" "${common[@]}" --bin "$dir/bin" ;;
    transformer) "$python" "$dir/bench/transformer.py" "$@" "${common[@]}" --bin "$dir/bin" ;;
  esac
}

run() {
  local name kind arguments status failed=()
  mkdir -p "$2"
  "$1/bin/helios-doctor" --json >"$2/doctor.json" || true
  "$1/bin/helios-doctor" | head -60 || true
  while read -r name kind arguments; do
    echo "[run] $name (at $SECONDS s)"
    status=0
    # shellcheck disable=SC2086
    run_one "$1" "$2" "$name" "$kind" $arguments 2>"$2/$name.log" </dev/null | tee "$2/$name.txt" | { grep --line-buffered -v '^passed' || true; } || status=$?
    case $kind-$status in
      *-0 | l4-5) ;; # l4: somewhere not at parity, as it says
      triton-3 | torch-3 | attention-3 | transformer-3) tail -n 1 "$2/$name.log" ;;
      *) failed+=("$name") ;;
    esac
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
