// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch plan for test/hard/gemm-sm89-frag.mlir, which is put before it: D = A·Bᵀ, rows of 16-byte units.

tile.plan @gemm(%A: tensor<?x?xbf16>, %B: tensor<?x?xbf16>, %D: tensor<?x?xbf16>)
    attributes {output_count = 1 : i64, arg_names = ["a", "b", "d"]} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %kmin = arith.constant 40 : index
  %rows = arith.constant 128 : index
  %columns = arith.constant 256 : index
  %M = tile.extent %A, 0 : tensor<?x?xbf16>
  %K = tile.extent %A, 1 : tensor<?x?xbf16>
  %N = tile.extent %B, 0 : tensor<?x?xbf16>
  %KB = tile.extent %B, 1 : tensor<?x?xbf16>
  %MD = tile.extent %D, 0 : tensor<?x?xbf16>
  %ND = tile.extent %D, 1 : tensor<?x?xbf16>
  %okK = arith.cmpi eq, %K, %KB : index
  tile.require %okK, "extent 1 of a must equal extent 1 of b"
  %okM = arith.cmpi eq, %M, %MD : index
  tile.require %okM, "extent 0 of d must equal extent 0 of a"
  %okN = arith.cmpi eq, %N, %ND : index
  tile.require %okN, "extent 1 of d must equal extent 0 of b"
  %restN = arith.remui %N, %c8 : index
  %unitsN = arith.cmpi eq, %restN, %c0 : index
  tile.require %unitsN, "extent 0 of b must be a multiple of 8"
  %restK = arith.remui %K, %c8 : index
  %unitsK = arith.cmpi eq, %restK, %c0 : index
  tile.require %unitsK, "extent 1 of a must be a multiple of 8"
  %long = arith.cmpi uge, %K, %kmin : index
  tile.require %long, "extent 1 of a must be at least 40"
  // The program takes dense rows.
  %sA = tile.stride %A, 0 : tensor<?x?xbf16>
  %denseA = arith.cmpi eq, %sA, %K : index
  tile.require %denseA, "rows of a must be dense"
  %sB = tile.stride %B, 0 : tensor<?x?xbf16>
  %denseB = arith.cmpi eq, %sB, %K : index
  tile.require %denseB, "rows of b must be dense"
  %sD = tile.stride %D, 0 : tensor<?x?xbf16>
  %denseD = arith.cmpi eq, %sD, %N : index
  tile.require %denseD, "rows of d must be dense"
  %tm = arith.ceildivui %M, %rows : index
  %tn = arith.ceildivui %N, %columns : index
  %tiles = arith.muli %tm, %tn : index
  tile.dispatch @gemm_program[%tiles](%A, %B, %D, %M, %N, %K) : tensor<?x?xbf16>, tensor<?x?xbf16>, tensor<?x?xbf16>, index, index, index
  tile.plan_yield %c0
}
