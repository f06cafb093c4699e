// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch plan for test/hard/attention-64-sm90-frag.mlir, which is put before it: causal attention, head dimension 64, q of [batch, heads, length, 64], k
// and v with as many heads or a divisor of them. scale is log2(e) / sqrt(64).
//
// helios-bench: scalars = scale=0.180337

tile.plan @attention(%q: tensor<?x?x?x64xbf16>, %k: tensor<?x?x?x64xbf16>, %v: tensor<?x?x?x64xbf16>, %scale: f32, %o: tensor<?x?x?x64xbf16>)
    attributes {output_count = 1 : i64, arg_names = ["q", "k", "v", "scale", "o"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %batch_q = tile.extent %q, 0 : tensor<?x?x?x64xbf16>
  %heads_q = tile.extent %q, 1 : tensor<?x?x?x64xbf16>
  %length_q = tile.extent %q, 2 : tensor<?x?x?x64xbf16>
  %row_q = tile.stride %q, 2 : tensor<?x?x?x64xbf16>
  %dense_q = arith.cmpi eq, %row_q, %c64 : index
  tile.require %dense_q, "rows of q must lie one behind the other"
  %batch_k = tile.extent %k, 0 : tensor<?x?x?x64xbf16>
  %heads_k = tile.extent %k, 1 : tensor<?x?x?x64xbf16>
  %length_k = tile.extent %k, 2 : tensor<?x?x?x64xbf16>
  %row_k = tile.stride %k, 2 : tensor<?x?x?x64xbf16>
  %dense_k = arith.cmpi eq, %row_k, %c64 : index
  tile.require %dense_k, "rows of k must lie one behind the other"
  %batch_v = tile.extent %v, 0 : tensor<?x?x?x64xbf16>
  %heads_v = tile.extent %v, 1 : tensor<?x?x?x64xbf16>
  %length_v = tile.extent %v, 2 : tensor<?x?x?x64xbf16>
  %row_v = tile.stride %v, 2 : tensor<?x?x?x64xbf16>
  %dense_v = arith.cmpi eq, %row_v, %c64 : index
  tile.require %dense_v, "rows of v must lie one behind the other"
  %batch_o = tile.extent %o, 0 : tensor<?x?x?x64xbf16>
  %heads_o = tile.extent %o, 1 : tensor<?x?x?x64xbf16>
  %length_o = tile.extent %o, 2 : tensor<?x?x?x64xbf16>
  %row_o = tile.stride %o, 2 : tensor<?x?x?x64xbf16>
  %dense_o = arith.cmpi eq, %row_o, %c64 : index
  tile.require %dense_o, "rows of o must lie one behind the other"
  %batch_k_q = arith.cmpi eq, %batch_k, %batch_q : index
  tile.require %batch_k_q, "extent 0 of k must equal extent 0 of q"
  %batch_v_q = arith.cmpi eq, %batch_v, %batch_q : index
  tile.require %batch_v_q, "extent 0 of v must equal extent 0 of q"
  %batch_o_q = arith.cmpi eq, %batch_o, %batch_q : index
  tile.require %batch_o_q, "extent 0 of o must equal extent 0 of q"
  %heads_v_k = arith.cmpi eq, %heads_v, %heads_k : index
  tile.require %heads_v_k, "extent 1 of v must equal extent 1 of k"
  %heads_o_q = arith.cmpi eq, %heads_o, %heads_q : index
  tile.require %heads_o_q, "extent 1 of o must equal extent 1 of q"
  %length_k_q = arith.cmpi eq, %length_k, %length_q : index
  tile.require %length_k_q, "extent 2 of k must equal extent 2 of q"
  %length_v_q = arith.cmpi eq, %length_v, %length_q : index
  tile.require %length_v_q, "extent 2 of v must equal extent 2 of q"
  %length_o_q = arith.cmpi eq, %length_o, %length_q : index
  tile.require %length_o_q, "extent 2 of o must equal extent 2 of q"
  %some = arith.cmpi uge, %heads_k, %c1 : index
  tile.require %some, "extent 1 of k must be at least 1"
  %divisor = arith.maxui %heads_k, %c1 : index
  %group = arith.divui %heads_q, %divisor : index
  %back = arith.muli %group, %divisor : index
  %multiple = arith.cmpi eq, %back, %heads_q : index
  tile.require %multiple, "extent 1 of q must be a multiple of extent 1 of k"
  %blocks = arith.ceildivui %length_q, %c256 : index
  %all_q = arith.muli %batch_q, %heads_q : index
  %all_k = arith.muli %batch_q, %heads_k : index
  %items = arith.muli %all_q, %blocks : index
  %processors = tile.device compute_units
  %grid = arith.minui %items, %processors : index
  // Heads that are walked at a time: two rounds of items, so that longest first and then shortest first gives everybody as much; groups of equal
  // size, in each of which every workgroup has an item.
  %c2 = arith.constant 2 : index
  %rows = arith.maxui %blocks, %c1 : index
  %heads = arith.maxui %all_q, %c1 : index
  %rounds = arith.muli %grid, %c2 : index
  %fit = arith.divui %rounds, %rows : index
  %atLeast = arith.maxui %fit, %c1 : index
  %atMost = arith.minui %atLeast, %heads : index
  %groups = arith.ceildivui %heads, %atMost : index
  %equal = arith.ceildivui %heads, %groups : index
  %least = arith.ceildivui %grid, %rows : index
  %together = arith.maxui %equal, %least : index
  tile.dispatch @attention_program[%grid](%q, %k, %v, %o, %all_q, %all_k, %group, %length_q, %scale, %together)
      : tensor<?x?x?x64xbf16>, tensor<?x?x?x64xbf16>, tensor<?x?x?x64xbf16>, tensor<?x?x?x64xbf16>, index, index, index, index, f32, index
  tile.plan_yield %c0
}
