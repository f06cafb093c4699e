// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch plan for test/hard/attention-sm90-frag.mlir, which is put before it: causal attention, head dimension 128, q of [batch * heads, length, 128], k
// and v with as many heads or a divisor of them. scale is log2(e) / sqrt(128).
//
// helios-bench: scalars = scale=0.127517
// helios-bench: flops = 2*128*q.0*q.1*q.1

tile.plan @attention(%q: tensor<?x?x128xbf16>, %k: tensor<?x?x128xbf16>, %v: tensor<?x?x128xbf16>, %scale: f32, %o: tensor<?x?x128xbf16>)
    attributes {output_count = 1 : i64, arg_names = ["q", "k", "v", "scale", "o"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %heads = tile.extent %q, 0 : tensor<?x?x128xbf16>
  %length = tile.extent %q, 1 : tensor<?x?x128xbf16>
  %headsK = tile.extent %k, 0 : tensor<?x?x128xbf16>
  %lengthK = tile.extent %k, 1 : tensor<?x?x128xbf16>
  %headsV = tile.extent %v, 0 : tensor<?x?x128xbf16>
  %lengthV = tile.extent %v, 1 : tensor<?x?x128xbf16>
  %headsO = tile.extent %o, 0 : tensor<?x?x128xbf16>
  %lengthO = tile.extent %o, 1 : tensor<?x?x128xbf16>
  %okK = arith.cmpi eq, %length, %lengthK : index
  tile.require %okK, "extent 1 of k must equal extent 1 of q"
  %okV = arith.cmpi eq, %length, %lengthV : index
  tile.require %okV, "extent 1 of v must equal extent 1 of q"
  %okO = arith.cmpi eq, %length, %lengthO : index
  tile.require %okO, "extent 1 of o must equal extent 1 of q"
  %okHV = arith.cmpi eq, %headsK, %headsV : index
  tile.require %okHV, "extent 0 of v must equal extent 0 of k"
  %okHO = arith.cmpi eq, %heads, %headsO : index
  tile.require %okHO, "extent 0 of o must equal extent 0 of q"
  %some = arith.cmpi uge, %headsK, %c1 : index
  tile.require %some, "extent 0 of k must be at least 1"
  %divisor = arith.maxui %headsK, %c1 : index
  %group = arith.divui %heads, %divisor : index
  %back = arith.muli %group, %divisor : index
  %okG = arith.cmpi eq, %back, %heads : index
  tile.require %okG, "extent 0 of q must be a multiple of extent 0 of k"
  %blocks = arith.ceildivui %length, %c128 : index
  %items = arith.muli %heads, %blocks : index
  %processors = tile.device compute_units
  %grid = arith.minui %items, %processors : index
  tile.dispatch @attention_program[%grid](%q, %k, %v, %o, %heads, %headsK, %group, %length, %scale)
      : tensor<?x?x128xbf16>, tensor<?x?x128xbf16>, tensor<?x?x128xbf16>, tensor<?x?x128xbf16>, index, index, index, index, f32
  tile.plan_yield %c0
}
