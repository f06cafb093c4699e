// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch plan for test/hard/dkdv-sm90-{tile,frag}.mlir, which is put before it: what the gradients of attention's result give for its operands, of
// [heads, length, 128]. l is the logarithm of each row's sum, to base 2, delta the sum over each row of gradient and result; scale that of the scores, sc
// scale times log2(e). Every workgroup adds its part of dq, so a program before it writes zeros there.
//
// helios-bench: scalars = scale=0.0883883,sc=0.127517

tile.program @zero_program(%p: !tile.ptr<f32>, %n: index {tile.range = array<i64: 1, 4611686018427387904>, tile.div = 128 : index})
    attributes {config = #tile.config<groups = [4, 1]>, target = #ptx.target<"sm_90a">} {
  %c1024 = arith.constant 1024 : index
  %v = tile.view %p[%n] : !tile.ptr<f32> -> !tile.view<?xf32, strides = [1], align = 16>
  %zero = arith.constant dense<0.0> : tensor<1024xf32>
  %t = arith.ceildivui %n, %c1024 : index
  tile.items (%i) in (%t) #tile.items<grid> {
    %at = arith.muli %i, %c1024 : index
    tile.store %zero, %v[%at] : tensor<1024xf32>, !tile.view<?xf32, strides = [1], align = 16>
  }
  tile.return
}

tile.plan @dkdv(%q: tensor<?x?x128xbf16>, %k: tensor<?x?x128xbf16>, %v: tensor<?x?x128xbf16>, %do: tensor<?x?x128xbf16>, %l: tensor<?x?x1xf32>, %delta: tensor<?x?x1xf32>, %scale: f32, %sc: f32,
    %dk: tensor<?x?x128xbf16>, %dv: tensor<?x?x128xbf16>, %dq: tensor<?x?x128xf32>)
    attributes {output_count = 3 : i64, arg_names = ["q", "k", "v", "do", "l", "delta", "scale", "sc", "dk", "dv", "dq"]} {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %c1024 = arith.constant 1024 : index
  %heads = tile.extent %q, 0 : tensor<?x?x128xbf16>
  %length = tile.extent %q, 1 : tensor<?x?x128xbf16>
  %row_q = tile.stride %q, 1 : tensor<?x?x128xbf16>
  %dense_q = arith.cmpi eq, %row_q, %c128 : index
  tile.require %dense_q, "rows of q must lie one behind the other"
  %heads_k = tile.extent %k, 0 : tensor<?x?x128xbf16>
  %same_heads_k = arith.cmpi eq, %heads_k, %heads : index
  tile.require %same_heads_k, "extent 0 of k must equal extent 0 of q"
  %length_k = tile.extent %k, 1 : tensor<?x?x128xbf16>
  %same_length_k = arith.cmpi eq, %length_k, %length : index
  tile.require %same_length_k, "extent 1 of k must equal extent 1 of q"
  %row_k = tile.stride %k, 1 : tensor<?x?x128xbf16>
  %dense_k = arith.cmpi eq, %row_k, %c128 : index
  tile.require %dense_k, "rows of k must lie one behind the other"
  %heads_v = tile.extent %v, 0 : tensor<?x?x128xbf16>
  %same_heads_v = arith.cmpi eq, %heads_v, %heads : index
  tile.require %same_heads_v, "extent 0 of v must equal extent 0 of q"
  %length_v = tile.extent %v, 1 : tensor<?x?x128xbf16>
  %same_length_v = arith.cmpi eq, %length_v, %length : index
  tile.require %same_length_v, "extent 1 of v must equal extent 1 of q"
  %row_v = tile.stride %v, 1 : tensor<?x?x128xbf16>
  %dense_v = arith.cmpi eq, %row_v, %c128 : index
  tile.require %dense_v, "rows of v must lie one behind the other"
  %heads_do = tile.extent %do, 0 : tensor<?x?x128xbf16>
  %same_heads_do = arith.cmpi eq, %heads_do, %heads : index
  tile.require %same_heads_do, "extent 0 of do must equal extent 0 of q"
  %length_do = tile.extent %do, 1 : tensor<?x?x128xbf16>
  %same_length_do = arith.cmpi eq, %length_do, %length : index
  tile.require %same_length_do, "extent 1 of do must equal extent 1 of q"
  %row_do = tile.stride %do, 1 : tensor<?x?x128xbf16>
  %dense_do = arith.cmpi eq, %row_do, %c128 : index
  tile.require %dense_do, "rows of do must lie one behind the other"
  %heads_l = tile.extent %l, 0 : tensor<?x?x1xf32>
  %same_heads_l = arith.cmpi eq, %heads_l, %heads : index
  tile.require %same_heads_l, "extent 0 of l must equal extent 0 of q"
  %length_l = tile.extent %l, 1 : tensor<?x?x1xf32>
  %same_length_l = arith.cmpi eq, %length_l, %length : index
  tile.require %same_length_l, "extent 1 of l must equal extent 1 of q"
  %row_l = tile.stride %l, 0 : tensor<?x?x1xf32>
  %dense_l = arith.cmpi eq, %row_l, %length : index
  tile.require %dense_l, "rows of l must lie one behind the other"
  %heads_delta = tile.extent %delta, 0 : tensor<?x?x1xf32>
  %same_heads_delta = arith.cmpi eq, %heads_delta, %heads : index
  tile.require %same_heads_delta, "extent 0 of delta must equal extent 0 of q"
  %length_delta = tile.extent %delta, 1 : tensor<?x?x1xf32>
  %same_length_delta = arith.cmpi eq, %length_delta, %length : index
  tile.require %same_length_delta, "extent 1 of delta must equal extent 1 of q"
  %row_delta = tile.stride %delta, 0 : tensor<?x?x1xf32>
  %dense_delta = arith.cmpi eq, %row_delta, %length : index
  tile.require %dense_delta, "rows of delta must lie one behind the other"
  %heads_dk = tile.extent %dk, 0 : tensor<?x?x128xbf16>
  %same_heads_dk = arith.cmpi eq, %heads_dk, %heads : index
  tile.require %same_heads_dk, "extent 0 of dk must equal extent 0 of q"
  %length_dk = tile.extent %dk, 1 : tensor<?x?x128xbf16>
  %same_length_dk = arith.cmpi eq, %length_dk, %length : index
  tile.require %same_length_dk, "extent 1 of dk must equal extent 1 of q"
  %row_dk = tile.stride %dk, 1 : tensor<?x?x128xbf16>
  %dense_dk = arith.cmpi eq, %row_dk, %c128 : index
  tile.require %dense_dk, "rows of dk must lie one behind the other"
  %heads_dv = tile.extent %dv, 0 : tensor<?x?x128xbf16>
  %same_heads_dv = arith.cmpi eq, %heads_dv, %heads : index
  tile.require %same_heads_dv, "extent 0 of dv must equal extent 0 of q"
  %length_dv = tile.extent %dv, 1 : tensor<?x?x128xbf16>
  %same_length_dv = arith.cmpi eq, %length_dv, %length : index
  tile.require %same_length_dv, "extent 1 of dv must equal extent 1 of q"
  %row_dv = tile.stride %dv, 1 : tensor<?x?x128xbf16>
  %dense_dv = arith.cmpi eq, %row_dv, %c128 : index
  tile.require %dense_dv, "rows of dv must lie one behind the other"
  %heads_dq = tile.extent %dq, 0 : tensor<?x?x128xf32>
  %same_heads_dq = arith.cmpi eq, %heads_dq, %heads : index
  tile.require %same_heads_dq, "extent 0 of dq must equal extent 0 of q"
  %length_dq = tile.extent %dq, 1 : tensor<?x?x128xf32>
  %same_length_dq = arith.cmpi eq, %length_dq, %length : index
  tile.require %same_length_dq, "extent 1 of dq must equal extent 1 of q"
  %row_dq = tile.stride %dq, 1 : tensor<?x?x128xf32>
  %dense_dq = arith.cmpi eq, %row_dq, %c128 : index
  tile.require %dense_dq, "rows of dq must lie one behind the other"
  %rows = arith.muli %heads, %length : index
  %elements = arith.muli %rows, %c128 : index
  %pieces = arith.ceildivui %elements, %c1024 : index
  tile.dispatch @zero_program[%pieces](%dq, %elements) : tensor<?x?x128xf32>, index
  %blocks = arith.ceildivui %length, %c128 : index
  %grid = arith.muli %heads, %blocks : index
  tile.dispatch @dkdv_program[%grid](%q, %k, %v, %do, %l, %delta, %dk, %dv, %dq, %heads, %length, %scale, %sc)
      : tensor<?x?x128xbf16>, tensor<?x?x128xbf16>, tensor<?x?x128xbf16>, tensor<?x?x128xbf16>, tensor<?x?x1xf32>, tensor<?x?x1xf32>, tensor<?x?x128xbf16>, tensor<?x?x128xbf16>, tensor<?x?x128xf32>, index, index, f32, f32
  tile.plan_yield %c0
}
