// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Every pass, by level. Pipelines.cpp alone orders them.

#ifndef HELIOS_TRANSFORMS_PASSES_TD
#define HELIOS_TRANSFORMS_PASSES_TD

include "helios/Transforms/HeliosPasses.td"
include "helios/Transforms/TilePasses.td"
include "helios/Transforms/TileToFragPasses.td"
include "helios/Transforms/FragPasses.td"
include "helios/Transforms/DriverPasses.td"

#endif // HELIOS_TRANSFORMS_PASSES_TD
