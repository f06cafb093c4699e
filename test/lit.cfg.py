# Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Configuration of the lit suite; docs/testing.md describes it for authors.

Switches (lit --param NAME=VALUE):
  roundtrip=1   every helios-opt run also prints, parses and compares its input
  launcher=PATH starts programs that need a Vulkan device with PATH instead of
                the build's launcher; launcher= (empty) takes the machine's own
  fuzz=N        how many cases the generators try, for tests that use %fuzz
"""
import importlib.util
import os
import shutil
import subprocess
import sys

import lit.formats

config.name = "Helios"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "CMakeLists.txt", "lit.cfg.py", "lit.site.cfg.py"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.helios_obj_root, "test")

# Tools come from this build first, then from the LLVM it was built with.
config.environment["PATH"] = os.pathsep.join(
    [config.helios_tools_dir, config.llvm_tools_dir, config.environment.get("PATH", "")]
)
# Pipeline caches and device verdicts stay inside the build folder.
config.environment["XDG_CACHE_HOME"] = os.path.join(config.test_exec_root, "cache")
# lavapipe takes seconds to compile a kernel: another process finds its code in that folder.
config.environment["MESA_SHADER_CACHE_DISABLE"] = "false"
for name in ("LP_NATIVE_VECTOR_WIDTH", "LP_NUM_THREADS", "HELIOS_VALIDATION", "ASAN_OPTIONS", "UBSAN_OPTIONS"):
    if name in os.environ:
        config.environment[name] = os.environ[name]


def starts(*command):
    """Whether a command runs here and succeeds."""
    try:
        return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=60).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


# Programs that need a device: "%vkrun helios-bench ...", with REQUIRES: vulkan.
launcher = lit_config.params.get("launcher", config.vulkan_launcher)
if launcher and not os.path.exists(launcher):
    lit_config.warning(f"{launcher} is missing (scripts/get-lavapipe.sh makes it): tests that run kernels are skipped")
    launcher = None
if launcher is not None:
    config.available_features.add("vulkan")
if launcher:
    config.available_features.add("lavapipe")
config.substitutions.append(("%vkrun", launcher or ""))

# Validation of SPIR-V: by the tools that came with lavapipe, or the machine's.
for tool in ("spirv-val", "spirv-dis", "spirv-as"):
    command = f"{launcher} {tool}" if launcher and starts(launcher, tool, "--version") else shutil.which(tool)
    if command:
        config.available_features.add(tool)
        target = " --target-env vulkan1.3" if tool == "spirv-val" else ""
        config.substitutions.append((f"%{tool}", command + target))

if config.ptxas and os.path.exists(config.ptxas):
    config.available_features.add("ptxas")
    config.substitutions.append(("%ptxas", config.ptxas))

# What bench/plot_ratios.py draws with.
if importlib.util.find_spec("matplotlib"):
    config.available_features.add("matplotlib")

# CUDA's disassembler, beside the assembler, on PATH, or as CMake was told.
for path in (config.nvdisasm, config.ptxas and os.path.join(os.path.dirname(config.ptxas), "nvdisasm")):
    if path and os.path.exists(path):
        config.available_features.add("nvdisasm")
        config.substitutions.append(("%nvdisasm", path))
        break

if config.llvm_assertions.upper() in ("ON", "TRUE", "1") or config.build_type == "Debug":
    config.available_features.add("asserts")

config.substitutions.append(("%examples", os.path.join(config.helios_src_root, "examples")))
config.substitutions.append(("%helios_src_root", config.helios_src_root))
config.substitutions.append(("%helios_obj_root", config.helios_obj_root))
config.substitutions.append(("%python", sys.executable))
config.substitutions.append(("%fuzz", lit_config.params.get("fuzz", "50")))

# Under this switch every test of helios-opt is a round-trip test as well.
if lit_config.params.get("roundtrip", "0") not in ("", "0"):
    config.substitutions.append((r"\bhelios-opt\b(?!\.)", "helios-opt --verify-roundtrip"))
