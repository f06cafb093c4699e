# Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""emulator_matrix.py GROUP...: kernels from their description to their results on the emulator, with the sanitiser, in order and with several adversaries.

A group is a list of lines `ROWS | arguments of helios-bench`. Each line runs on each of its rows with each seed; every case has to pass. What a line
tests is said once; a new family (attention from level 1, say) is a new group, and a word of emulator-programs.test that runs it. Of a line that gives
shapes of dense tensors only what they take is compiled, but of the group 'layouts', and of programs below level 1, all. Last line: "N cases on ROWS, N
wrong".
"""
import os
import pathlib
import re
import subprocess
import sys
import time

SEEDS = (0, 1, 2)  # 0: in order
ROOT = pathlib.Path(__file__).resolve().parents[3]
BOTH = "sm_89 sm_90a"
SPLIT = "--schedule strategy=groups,tile=64x64x32,groups=2x2,depth=3,split_k="
ROLES = "--schedule strategy=roles,tile=128x128x64,groups=2x1,depth=4,raster=4,items=persistent"

GROUPS = {
    "types": [
        f"{BOTH} | gemm --types f16:f16:f32:f16,f16:f16:f32:f32,f16:f16:f16:f16,bf16:bf16:f32:bf16,bf16:bf16:f32:f32 --layout nn,tt --shapes 200x136x72,33x47x21",
        f"{BOTH} | gemm --types f32:f32:f32:f32 --layout nn,tt --shapes 65x72x40,33x47x21,5x8x0",
        f"{BOTH} | gemm --types tf32:tf32:f32:f32,i8:i8:i32:i32 --layout nt --shapes 128x160x96,33x47x21",
        # Copies of tf32 take four bytes an element of the workspace.
        f"{BOTH} | gemm --types tf32:tf32:f32:f32 --layout tn --shapes 33x300x160",
        # Floats of 8 bits: K of whole steps, of a part of one, of none; k contiguous in both operands and not.
        f"{BOTH} | gemm --types e4m3:e4m3:f32:bf16,e5m2:e4m3:f32fast:f32 --layout nt,nn,tt --shapes 144x160x400,33x47x21,5x8x0",
        f"{BOTH} | gemm --types e4m3:e5m2:f32:f16 --layout nt --batch 2 --epilogue row_scale+scale --shapes 144x160x272",
        "sm_90a | gemm --types e4m3:e4m3:f32:f32 --layout nt --shapes 264x136x528,128x128x16 --schedule tile=128x64x128,groups=2x1,cluster=2x1",
        "sm_90a | gemm --types e4m3:e4m3:f32:bf16 --layout nt --shapes 264x136x528 --schedule tile=64x64x128,groups=1x1,turns=2",
        "sm_90a | gemm --types e4m3:e4m3:f32:bf16 --layout nt --shapes 136x136x1040 --schedule tile=64x64x128,groups=1x1,split_k=3",
        "sm_80 sm_86 | gemm --types f16:f16:f32:f16,bf16:bf16:f32:bf16 --layout nt --shapes 200x136x72,17x31x13",
    ],
    "layouts": [
        f"{BOTH} | gemm --layout nn,nt,tn,tt --shapes 256x256x256,200x264x136,127x129x65,1x1x1,64x64x0,0x9x8",
        f"{BOTH} | gemm --layout nt --shapes 384x512x1024",
    ],
    "epilogues": [
        f"{BOTH} | gemm --epilogue bias,scale,row_scale,residual,alpha_beta,relu,gelu,gelu_tanh,silu,bias+gelu+residual --layout nt --schedule strategy=groups,tile=64x64x32,groups=2x2,depth=3 --shapes 136x72x40,33x47x21",
        "sm_90a | gemm --epilogue bias+relu,alpha_beta,residual --layout nn --shapes 200x264x136 --types bf16:bf16:f32:bf16",
    ],
    # Two products of one left operand: every strategy, two groups and turns, clusters, sums that leave the engine.
    "pairs": [
        "sm_80 sm_89 sm_90a | gemm --epilogue silu+pair --types bf16:bf16:f32:bf16 --layout nn,nt --shapes 256x256x256,200x264x136,33x47x21,5x8x0",
        "sm_90a | gemm --epilogue bias+pair+residual --layout tn,tt --batch 2 --shapes 136x264x72,17x31x13",
        "sm_90a | gemm --epilogue silu+pair --types e4m3:e4m3:f32:bf16 --layout nt --shapes 144x160x400",
        "sm_90a | gemm --epilogue silu+pair --layout nt --shapes 392x264x320,128x128x64 --schedule tile=128x96x64,groups=2x1,cluster=2x1",
        "sm_90a | gemm --epilogue silu+pair --layout nn --shapes 392x264x320,128x128x64 --schedule tile=64x64x64,groups=1x1,turns=2",
        f"{BOTH} | run examples/swiglu.mlir",
    ],
    # Several results: staged, groups, roles in groups and in turns, clusters, slices of K, pairs, batches, other types beside the first.
    "results": [
        f"{BOTH} | gemm --epilogue bias+aux+gelu --layout nn --shapes 200x264x136,33x47x21,5x8x0",
        "sm_90a | gemm --epilogue silu+aux+pair+aux --types bf16:bf16:f32:bf16 --layout nt --shapes 256x256x256,200x264x136",
        "sm_90a | gemm --epilogue aux+relu --layout nt --shapes 392x264x320 --schedule tile=128x96x64,groups=2x1,cluster=2x1",
        "sm_90a | gemm --epilogue aux+relu --layout nn --batch 2 --shapes 136x264x72 --schedule tile=64x64x64,groups=1x1,turns=2",
        "sm_90a | gemm --epilogue aux+relu --types e4m3:e4m3:f32:bf16 --layout nt --shapes 144x160x400",
        f"{BOTH} | gemm {SPLIT}3 --layout nt --epilogue bias+aux+gelu --shapes 64x96x400,17x31x130",
        f"{BOTH} | run examples/gemm_bias_gelu_aux.mlir --shapes 72x40,40x136,136;33x21,21x47,47",
        f"{BOTH} | run test/EndToEnd/Inputs/results.mlir --shapes 264x72,72x136,72x136;33x21,21x47,21x47",
    ],
    "places": [  # batches, rows farther apart, tensors that begin anywhere
        f"{BOTH} | gemm --batch 3 --layout nn --epilogue bias+residual --shapes 136x264x72,17x31x13,5x8x0",
        f"{BOTH} | gemm --layout tn --epilogue residual --pad-rows 8 --shapes 136x264x72,17x31x13",
        f"{BOTH} | gemm --layout tn --epilogue residual --pad-rows 3 --misalign --shapes 136x264x72",
    ],
    "split": [
        f"{BOTH} | gemm --layout nn,tn --shapes 64x64x4096",  # the plan splits
        f"{BOTH} | gemm {SPLIT}3 --layout nt --epilogue bias+gelu --shapes 64x96x400,17x31x130,48x64x24",
        f"{BOTH} | gemm {SPLIT}2 --batch 2 --layout tt --shapes 72x56x256,5x8x0",
        f"sm_90a | gemm {ROLES},split_k=3 --layout nt --types bf16:bf16:f32:bf16 --shapes 256x136x640",
    ],
    "clusters": [
        f"sm_90a | gemm {ROLES},cluster=2x1 --layout nn,tt --types bf16:bf16:f32:bf16 --shapes 512x384x320,200x136x72",
        f"sm_90a | gemm {ROLES},cluster=1x2 --layout nt,tn --types f16:f16:f32:f16 --epilogue bias --shapes 384x512x192,200x136x72",
        # Work items of more than two dimensions: a batch, slices of K.
        "sm_90a | gemm --shapes 520x264x136 --layout nt,nn --schedule strategy=roles,tile=128x64x64,groups=2x1,depth=3,cluster=2x1",
        "sm_90a | gemm --shapes 512x256x320 --batch 2 --schedule strategy=roles,tile=128x64x64,groups=2x1,depth=3,cluster=1x2",
        "sm_90a | gemm --shapes 512x256x320 --schedule strategy=roles,tile=128x64x64,groups=2x1,depth=3,cluster=2x2,split_k=2",
    ],
    # Groups that take tiles in turns: a workgroup has one tile, an even and an odd number of them, or none; slices of K of different lengths, three groups.
    "turns": [
        "sm_90a | gemm --shapes 1040x648x200,128x128x64,8x8x8,64x64x0 --layout nt,nn --schedule tile=128x128x64,groups=1x1,turns=2,depth=6 --epilogue bias+gelu",
        "sm_90a | gemm --shapes 520x264x136 --layout tn,tt --schedule tile=64x64x64,groups=1x1,turns=2,depth=3,cluster=2x1",
        "sm_90a | gemm --shapes 512x256x520 --batch 2 --schedule tile=64x64x64,groups=1x1,turns=2,depth=4,split_k=3",
        "sm_90a | gemm --shapes 520x264x320 --layout nt --schedule tile=64x64x64,groups=1x1,turns=3,depth=2",
    ],
    # helios.attention from level 1 on both rows; attention.test has more regions and the examples, in order.
    "attention": [
        f"{BOTH} | attention --shapes 1x2x64x64,1x2x17x40,1x2x70x64x96,2x4x200x128:130:2",
        f"{BOTH} | attention --causal --types bf16 --shapes 1x4x100x64:130:2,1x1x1x128:300:1,2x2x256x128",
        f"{BOTH} | attention --causal --window 33 --score softcap+alibi --lse --shapes 1x2x150x64:170:1",
        f"{BOTH} | attention --layout bshd --shapes 2x2x130x64,1x1x33x64:0",
        f"{BOTH} | attention --causal --schedule strategy=groups,tile=64x32x128,groups=4x1,depth=3 --shapes 1x2x150x128,1x1x20x128",
        f"{BOTH} | attention --schedule strategy=groups,tile=64x64x64,groups=2x1,depth=4 --shapes 1x2x150x64,1x1x70x64:300",
    ],
    "programs": [
        f"{BOTH} | run test/EndToEnd/elementwise.mlir --reference test/EndToEnd/Inputs/elementwise.mlir --shapes 1,1;1000,1000;0,0;2501,2501",
        f"{BOTH} | run test/hard/split-k-tile.mlir --anywhere --reference test/EndToEnd/Inputs/gemm.mlir --shapes 64x512,512x64;100x2000,2000x72;1x8,8x8",
        f"{BOTH} | run test/hard/rmsnorm-tile.mlir --anywhere --reference test/EndToEnd/Inputs/rmsnorm.mlir --shapes 64x512,64x512,512;100x208,72x208,208;1x8,8x8,8 --scalars inv_k=0.002,eps=0.00001",
        # What level 3 is made of them, on its own.
        f"{BOTH} | run test/hard/split-k-tile.mlir --anywhere --frag --reference test/EndToEnd/Inputs/gemm.mlir --shapes 64x512,512x64;100x2000,2000x72",
        f"{BOTH} | run test/hard/rmsnorm-tile.mlir --anywhere --frag --reference test/EndToEnd/Inputs/rmsnorm.mlir --shapes 100x208,72x208,208;1x8,8x8,8 --scalars inv_k=0.002,eps=0.00001",
        "sm_89 | run test/EndToEnd/chained-products.mlir --reference test/EndToEnd/Inputs/chained-products.mlir",
        f"{BOTH} | run examples/gemm_unfused.mlir examples/mlp.mlir examples/gemm_cast.mlir examples/gemm_sin.mlir examples/gemm_causal.mlir examples/gemm_batched_shared.mlir",
    ],
    "broken": [  # says of its rows what is not so
        "sm_89 | run test/EndToEnd/elementwise.mlir --in-bounds --reference test/EndToEnd/Inputs/elementwise.mlir --shapes 1000,1000",
    ],
    "hard": [
        "sm_89 | run gemm-sm89 --hard --shapes 264x72,136x72;128x64,256x64",
        "sm_90a | run gemm-sm90 --hard --shapes 264x72,136x72,136;128x64,256x64,256",
        "sm_90a | run attention-sm90 --hard --shapes 2x4x200x128,2x2x200x128,2x2x200x128",
        "sm_90a | run dkdv-sm90 --hard --shapes 2x200x128,2x200x128,2x200x128,2x200x128,2x200x1,2x200x1;1x64x128,1x64x128,1x64x128,1x64x128,1x64x1,1x64x1",
        # The same from level 2.
        "sm_89 | run gemm-sm89 --hard tile --shapes 264x72,136x72;128x64,256x64",
        "sm_90a | run gemm-sm90 --hard tile --shapes 264x72,136x72,136;128x64,256x64,256",
        "sm_90a | run attention-sm90 --hard tile --shapes 2x4x200x128,2x2x200x128,2x2x200x128",
        "sm_90a | run dkdv-sm90 --hard tile --shapes 2x200x128,2x200x128,2x200x128,2x200x128,2x200x1,2x200x1",
    ],
}


def hard(name, level, folder):
    """A program of test/hard with its launch plan behind it."""
    kernel = name.split("-")[0]
    path = folder / f"{name}.mlir"
    text = (ROOT / f"test/hard/{name}-{level}.mlir").read_text(encoding="utf-8")
    program = re.sub(rf"(frag.kernel|tile.program) @{kernel}\(", rf"\1 @{kernel}_program(", text)
    path.write_text(program + (ROOT / f"bench/hard/{name}-frag.mlir").read_text(encoding="utf-8"), encoding="utf-8")
    return [str(path), "--reference", str(ROOT / f"bench/hard/{name}-reference.mlir")]


def anywhere(path, folder):
    """A program without the row that it is written for, and with the matrix instruction that CUDA's rows have."""
    text = re.sub(r', target = #spv.target<"\w+">|target = #spv.target<"\w+">, ', "", (ROOT / path).read_text(encoding="utf-8"))
    text = text.replace("mma = [8, 8, 8]", "mma = [16, 8, 16]")
    out = folder / pathlib.Path(path).name
    out.write_text(text, encoding="utf-8")
    return str(out)


def command(words, folder):
    if "--hard" in words:
        level = "tile" if "tile" in words else "frag"
        return ["run", *hard(words[1], level, folder), *(w for w in words[2:] if w not in ("--hard", "tile"))]
    if "--anywhere" in words:
        path = anywhere(words[1], folder)
        if "--frag" in words:
            path, level2 = path.replace(".mlir", "-frag.mlir"), path
            subprocess.run(["helios-compile", level2, f"--target=cuda:{folder.name}", "--emit=frag", "-o", path], check=True)
        words = ["run", path, *(w for w in words[2:] if w not in ("--anywhere", "--frag"))]
    if "--in-bounds" in words:
        text = (ROOT / words[1]).read_text(encoding="utf-8").replace("%vx[%at] :", "%vx[%at] in_bounds :")
        (folder / "in-bounds.mlir").write_text(text, encoding="utf-8")
        words = ["run", str(folder / "in-bounds.mlir"), *(w for w in words[2:] if w != "--in-bounds")]
    return [str(ROOT / w) if re.match(r"(test|examples)/", w) else w for w in words]


def main():
    folder = pathlib.Path(sys.argv[1])
    cases = wrong = 0
    rows_run = set()
    for group in sys.argv[2:]:
        for line in GROUPS[group]:
            rows, arguments = line.split(" | ")
            for row in rows.split():
                rows_run.add(row)
                place = folder / row
                place.mkdir(parents=True, exist_ok=True)
                words = command(arguments.split(), place)
                if group not in ("layouts", "programs", "hard") and "--shapes" in words and not {"--pad-rows", "--misalign"} & set(words):
                    words.append("--only-launches")
                begin = time.time()
                for seed in SEEDS:
                    run = subprocess.run(["helios-bench", *words, "--device", f"emulator:{row},seed={seed}", "--check-only"], capture_output=True, text=True, check=False)
                    results = re.findall(rf"^emulator:{row}.*", run.stdout, re.M)
                    bad = [r for r in results if not re.search(r" passed( \(\d+ samples\))?[ -]*$", r)]
                    cases += len(results)
                    wrong += len(bad) + (not results) + (run.returncode != 0 and not bad)
                    if bad or run.returncode or not results:
                        print(f"WRONG: {row} seed {seed}: helios-bench {' '.join(words)}: exit status {run.returncode}\n" + "\n".join(bad[:3]) + "\n" + run.stdout[-1500:] + run.stderr[-1500:])
                        break
                if "HELIOS_TIMES" in os.environ:
                    print(f"{time.time() - begin:.1f} s {row} {arguments}", flush=True)
    print(f"{cases} cases on {' '.join(sorted(rows_run))}, {wrong} wrong")
    sys.exit(1 if wrong or not cases else 0)


main()
