// RUN: helios-opt --helios-to-tile --split-input-file %s | FileCheck %s

// One loop over blocks of keys. The scale goes with the logarithm of two into the exponential.

// CHECK-LABEL: tile.program @plain_full(
// CHECK: %[[RATIO:.*]] = arith.divui
// CHECK: tile.items (%[[B:.*]], %[[H:.*]], %[[I:.*]]) in
// CHECK: %[[M:.*]] = arith.muli %[[I]], %c64
// CHECK: %[[HEAD:.*]] = arith.divui %[[H]], %[[RATIO]]
// CHECK: %[[G:.*]] = arith.minsi %[[HEAD]], %{{.*}}
// CHECK: %[[Q:.*]] = tile.load {{.*}}[%[[B]], %[[H]], %[[M]], %c0]
// CHECK: %[[R:.*]]:3 = scf.for {{.*}} iter_args(%[[MAX:.*]] = {{.*}}, %[[SUM:.*]] = {{.*}}, %[[O:.*]] = {{.*}})
// CHECK: %[[K:.*]] = tile.load {{.*}}[%[[B]], %[[G]], %[[N:.*]], %c0] {{.*}} -> tensor<32x128xf16>
// CHECK: %[[T:.*]] = tile.transpose %[[K]]
// CHECK: %[[S:.*]] = tile.dot %[[Q]], %[[T]],
// CHECK-NOT: tile.iota
// CHECK: %[[BM:.*]] = tile.reduce max %[[S]], 1
// CHECK: %[[NEW:.*]] = arith.maximumf %[[MAX]], %[[BM]]
// CHECK: %[[NONE:.*]] = arith.cmpf oeq, %[[NEW]]
// CHECK: %[[AT:.*]] = arith.select %[[NONE]], %{{.*}}, %[[NEW]]
// CHECK: %[[NEG:.*]] = arith.mulf %[[AT]]
// CHECK: %[[F:.*]] = math.exp2
// CHECK: math.fma %[[S]], %{{.*}}, %{{.*}} : tensor<64x32xf32>
// CHECK: %[[P:.*]] = math.exp2
// CHECK: %[[BS:.*]] = tile.reduce add %[[P]], 1
// CHECK: %[[L:.*]] = math.fma %[[SUM]], %[[F]], %[[BS]]
// CHECK: %[[SO:.*]] = arith.mulf %[[O]]
// CHECK: %[[P16:.*]] = arith.truncf %[[P]]
// CHECK: %[[V:.*]] = tile.load {{.*}}[%[[B]], %[[G]], %[[N]], %c0] {{.*}} -> tensor<32x64xf16>
// CHECK: %[[NO:.*]] = tile.dot %[[P16]], %[[V]], %[[SO]]
// CHECK: scf.yield %[[NEW]], %[[L]], %[[NO]]
// CHECK: %[[EMPTY:.*]] = arith.cmpf oeq, %[[R]]#1
// CHECK: arith.select %[[EMPTY]]
// CHECK: tile.store
// CHECK: math.log2 %[[R]]#1
// CHECK: arith.select %[[EMPTY]]
// CHECK: tile.store {{.*}} : tensor<64xf32>
// Keys beyond the end take no part where tiles may reach over it.
// CHECK-LABEL: tile.program @plain_aligned(
// CHECK: arith.cmpi slt, {{.*}} : tensor<32xindex>
// CHECK: arith.select {{.*}} : tensor<64x32xi1>, tensor<64x32xf32>
// CHECK-LABEL: tile.plan @plain(
// CHECK: tile.require %{{.*}}, "extent 1 of arg0 must be a multiple of extent 1 of arg1"
// CHECK: tile.dispatch @plain_full[
helios.kernel @plain(%q: tensor<?x?x?x128xf16>, %k: tensor<?x?x?x128xf16>, %v: tensor<?x?x?x64xf16>)
    -> (tensor<?x?x?x64xf16>, tensor<?x?x?xf32>) attributes {schedule = #helios.schedule<tile = [64, 32, 128], groups = [2, 1]>} {
  %o, %l = helios.attention %q, %k, %v : (tensor<?x?x?x128xf16>, tensor<?x?x?x128xf16>, tensor<?x?x?x64xf16>)
      -> tensor<?x?x?x64xf16> lse tensor<?x?x?xf32> acc f32
  helios.return %o, %l : tensor<?x?x?x64xf16>, tensor<?x?x?xf32>
}

// -----

// A depth that no instruction divides is padded; no tensor has whole tiles of it, so there is no program for those.

// CHECK-NOT: @narrow_full
// CHECK-LABEL: tile.program @narrow_aligned(
// CHECK: tile.load {{.*}} : <?x?x?x40xf16, {{.*}}> -> tensor<64x48xf16>
helios.kernel @narrow(%q: tensor<?x?x?x40xf16>, %k: tensor<?x?x?x40xf16>, %v: tensor<?x?x?x40xf16>)
    -> tensor<?x?x?x40xf16> attributes {schedule = #helios.schedule<tile = [64, 32, 48], groups = [2, 1]>} {
  %o = helios.attention %q, %k, %v : (tensor<?x?x?x40xf16>, tensor<?x?x?x40xf16>, tensor<?x?x?x40xf16>)
      -> tensor<?x?x?x40xf16> acc f32
  helios.return %o : tensor<?x?x?x40xf16>
}

// -----

// Causal: blocks behind the last query of the tile are not visited, and long rows go first.

// CHECK-LABEL: tile.program @causal_full(
// CHECK: tile.items {{.*}} longest_first = 2
// CHECK: %[[M:.*]] = arith.muli %{{.*}}, %c64
// CHECK: %[[ALL:.*]] = arith.ceildivui %{{.*}}, %c32
// CHECK: %[[LAST:.*]] = arith.addi %[[M]], %c63
// CHECK: %[[REACH:.*]] = arith.addi %[[LAST]], %c32
// CHECK: %[[POS:.*]] = arith.maxsi %[[REACH]]
// CHECK: %[[END:.*]] = arith.divui %[[POS]], %c32
// CHECK: %[[SOME:.*]] = arith.maxsi %[[END]], %c1
// CHECK: %[[MIN:.*]] = arith.minsi %[[SOME]], %[[ALL]]
// The values end at the last query's last key: nothing is known of what lies behind it.
// CHECK: %[[FAR:.*]] = arith.addi %[[M]], %c63
// CHECK: %[[NEXT:.*]] = arith.addi %[[FAR]], %c1
// CHECK: %[[SEEN:.*]] = arith.minsi %{{.*}}, %{{.*}}
// CHECK: %[[V:.*]] = tile.view %{{.*}}[%{{.*}}, %{{.*}}, %[[SEEN]]] strides
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %[[MIN]]
// CHECK: tile.dot
// CHECK: arith.cmpi sle, {{.*}} : tensor<64x32xindex>
// CHECK: arith.select
// CHECK: tile.reduce max
// Where tiles may reach beyond the last query, that one counts.
// CHECK-LABEL: tile.program @causal_aligned(
// CHECK: %[[QUERIES:.*]] = arith.subi %{{.*}}, %c1{{.*}} : index
// CHECK: arith.minsi %{{.*}}, %[[QUERIES]]
helios.kernel @causal(%q: tensor<?x?x?x64xf16>, %k: tensor<?x?x?x64xf16>, %v: tensor<?x?x?x64xf16>)
    -> tensor<?x?x?x64xf16> attributes {schedule = #helios.schedule<tile = [64, 32, 64], groups = [2, 1]>} {
  %o = helios.attention %q, %k, %v : (tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>)
      -> tensor<?x?x?x64xf16> acc f32 mask {
  ^bb0(%b: index, %h: index, %i: index, %j: index):
    %keep = arith.cmpi ule, %j, %i : index
    helios.yield %keep : i1
  }
  helios.return %o : tensor<?x?x?x64xf16>
}

// -----

// A window bounds the blocks on both sides; tensors are read as far as they vary, once an item where that is not along the keys.

// CHECK-LABEL: tile.program @window_full(
// CHECK: tile.items
// CHECK: tile.load {{.*}} -> tensor<64xf32>
// CHECK: arith.ceildivui
// CHECK: %[[BEGIN:.*]] = arith.minsi
// CHECK: %[[END:.*]] = arith.minsi
// CHECK: scf.for %{{.*}} = %[[BEGIN]] to %[[END]]
// CHECK: arith.mulf {{.*}} : tensor<64x32xf32>
// CHECK: tile.load {{.*}} -> tensor<64x32xf16>
// CHECK: arith.cmpi ult
// CHECK-LABEL: tile.plan @window(
helios.kernel @window(%q: tensor<?x?x?x64xf16>, %k: tensor<?x?x?x64xf16>, %v: tensor<?x?x?x64xf16>, %bias: tensor<?x?xf16>,
                      %slopes: tensor<?x1x1xf32>)
    -> tensor<?x?x?x64xf16> attributes {schedule = #helios.schedule<tile = [64, 32, 64], groups = [2, 1]>} {
  %o = helios.attention %q, %k, %v fused(%bias, %slopes : tensor<?x?xf16>, tensor<?x1x1xf32>)
      : (tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>) -> tensor<?x?x?x64xf16> acc f32 score {
  ^bb0(%s: f32, %c: f16, %slope: f32, %b: index, %h: index, %i: index, %j: index):
    %c32 = arith.extf %c : f16 to f32
    %d = arith.mulf %c32, %slope : f32
    %t = arith.addf %s, %d : f32
    helios.yield %t : f32
  } mask {
  ^bb0(%c: f16, %slope: f32, %b: index, %h: index, %i: index, %j: index):
    %c100 = arith.constant 100 : index
    %d = arith.subi %i, %j : index
    %near = arith.cmpi ult, %d, %c100 : index
    helios.yield %near : i1
  }
  helios.return %o : tensor<?x?x?x64xf16>
}

// -----

// What the region computes from tensors is not known before: the loop keeps the bound that is.

// Numbers of keys, which each block reads, lie side by side but for the last variant; those of queries may lie anywhere.

// CHECK-LABEL: tile.program @documents_full(
// CHECK: tile.view {{.*}} -> <?xi32, strides = [?]>
// CHECK: tile.view {{.*}} -> <?xi32, strides = [1]>
// CHECK: scf.for
// CHECK: tile.load {{.*}} -> tensor<32xi32>
// CHECK: arith.select {{.*}} : tensor<64x32xi1>, tensor<64x32xf32>
// CHECK-LABEL: tile.program @documents_any(
// CHECK: tile.view {{.*}} -> <?xi32, strides = [?]>
// CHECK: tile.view {{.*}} -> <?xi32, strides = [?]>
helios.kernel @documents(%q: tensor<?x?x?x64xf16>, %k: tensor<?x?x?x64xf16>, %v: tensor<?x?x?x64xf16>, %x: tensor<?x1xi32>, %y: tensor<?xi32>)
    -> tensor<?x?x?x64xf16> attributes {schedule = #helios.schedule<tile = [64, 32, 64], groups = [2, 1]>} {
  %o = helios.attention %q, %k, %v fused(%x, %y : tensor<?x1xi32>, tensor<?xi32>)
      : (tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>) -> tensor<?x?x?x64xf16> acc f32 mask {
  ^bb0(%m: i32, %n: i32, %b: index, %h: index, %i: index, %j: index):
    %same = arith.cmpi eq, %m, %n : i32
    %causal = arith.cmpi ule, %j, %i : index
    %keep = arith.andi %same, %causal : i1
    helios.yield %keep : i1
  }
  helios.return %o : tensor<?x?x?x64xf16>
}

// -----

// Roles: what scores are relative to stays as it is, and results are not rescaled, until scores of a row exceed it by 2^8. The limit
// and the base of exponents are carried: the first is the score plus 8 / (0.125 log2 e), and they change only where it is exceeded.

// CHECK-LABEL: tile.program @lazy_full(
// CHECK: %[[R:.*]]:4 = scf.for {{.*}} iter_args(%[[LIMIT:.*]] = {{.*}}, %[[BASE:.*]] = {{.*}}, %[[SUM:.*]] = {{.*}}, %[[O:.*]] = {{.*}})
// CHECK: %[[S:.*]] = tile.dot
// CHECK: %[[MOST:.*]] = tile.reduce max %[[S]], 1
// CHECK-NOT: arith.addf
// CHECK: %[[GROWS:.*]] = arith.cmpf ogt, %[[MOST]], %[[LIMIT]]
// CHECK: %[[NEW:.*]]:3 = tile.where %[[GROWS]] else(%[[LIMIT]], %[[BASE]], %{{.*}}) {
// CHECK: %[[STALE:.*]] = arith.constant dense<44.3614197>
// CHECK: %[[OLD:.*]] = arith.subf %[[LIMIT]], %[[STALE]]
// CHECK: %[[MAX:.*]] = arith.maximumf %[[OLD]], %[[MOST]]
// CHECK: %[[NEXT:.*]] = arith.addf %[[MAX]], %{{.*}}
// CHECK: %[[REFERENCE:.*]] = arith.subf %[[NEXT]], %{{.*}}
// CHECK: %[[FINITE:.*]] = arith.select %{{.*}}, %{{.*}}, %[[REFERENCE]]
// CHECK: %[[TO:.*]] = arith.mulf %[[FINITE]]
// CHECK: %[[X:.*]] = math.fma %[[OLD]], %{{.*}}, %[[TO]]
// CHECK: %[[F:.*]] = math.exp2 %[[X]]
// CHECK: tile.yield %[[NEXT]], %[[TO]], %[[F]]
// CHECK: %[[ROWS:.*]] = tile.expand %[[NEW]]#1
// CHECK: %[[X:.*]] = math.fma %[[S]], %{{.*}}, %[[ROWS]]
// CHECK: %[[P:.*]] = math.exp2 %[[X]]
// CHECK: %[[BS:.*]] = tile.reduce add %[[P]], 1
// CHECK: math.fma %[[SUM]], %[[NEW]]#2, %[[BS]]
// CHECK: %[[SO:.*]] = tile.where %[[GROWS]] else(%[[O]]) {
// CHECK: arith.mulf %[[O]]
// CHECK: tile.dot %{{.*}}, %{{.*}}, %[[SO]]
helios.kernel @lazy(%q: tensor<?x?x?x64xf16>, %k: tensor<?x?x?x64xf16>, %v: tensor<?x?x?x64xf16>)
    -> tensor<?x?x?x64xf16> attributes {target = #ptx.target<"sm_90a">, schedule = #helios.schedule<strategy = roles, tile = [128, 64, 64], groups = [2, 1], depth = 2, items = persistent>} {
  %o = helios.attention %q, %k, %v : (tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>)
      -> tensor<?x?x?x64xf16> acc f32
  helios.return %o : tensor<?x?x?x64xf16>
}

// -----

// Where nobody knows which lane has which row, all rows of a group are looked at where one has a score above its limit; those that have none keep
// their limit, and with it their base, and are multiplied by one.
// CHECK-LABEL: tile.program @voted_full(
// CHECK: scf.for {{.*}} iter_args(%[[LIMIT:.*]] = {{.*}}, %[[BASE:.*]] = {{.*}}, %[[SUM:.*]] = {{.*}}, %[[O:.*]] = {{.*}})
// CHECK: %[[MOST:.*]] = tile.reduce max
// CHECK: %[[GROWS:.*]] = arith.cmpf ogt, %[[MOST]], %[[LIMIT]]
// CHECK: %[[NEW:.*]]:4 = tile.where voted %[[GROWS]] else(%[[LIMIT]], %[[BASE]], %{{.*}}, %[[O]]) {
// CHECK: %[[OLD:.*]] = arith.subf %[[LIMIT]]
// CHECK: %[[MAX:.*]] = arith.maximumf %[[OLD]], %[[MOST]]
// CHECK: %[[RAISED:.*]] = arith.addf %[[MAX]]
// CHECK: %[[ABOVE:.*]] = arith.addf %[[LIMIT]]
// CHECK: %[[RISES:.*]] = arith.cmpf ogt, %[[RAISED]], %[[ABOVE]]
// CHECK: %[[NEXT:.*]] = arith.select %[[RISES]], %[[RAISED]], %[[LIMIT]]
// CHECK: arith.subf %[[NEXT]]
// CHECK: %[[TO:.*]] = arith.mulf
// CHECK: %[[E:.*]] = math.exp2
// CHECK: %[[F:.*]] = arith.select %[[RISES]], %[[E]]
// CHECK: %[[SCALED:.*]] = arith.mulf %[[O]]
// CHECK: tile.yield %[[NEXT]], %[[TO]], %[[F]], %[[SCALED]]
// CHECK: math.fma %[[SUM]], %[[NEW]]#2
// CHECK: tile.dot %{{.*}}, %{{.*}}, %[[NEW]]#3
// CHECK-LABEL: tile.program @lanes_full(
// CHECK-NOT: tile.where
helios.kernel @voted(%q: tensor<?x?x?x64xf16>, %k: tensor<?x?x?x64xf16>, %v: tensor<?x?x?x64xf16>) -> tensor<?x?x?x64xf16>
    attributes {schedule = #helios.schedule<tile = [128, 32, 64], groups = [4, 1], mma = [16, 16, 16]>, target = #spv.target<"nvidia">} {
  %o = helios.attention %q, %k, %v : (tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>) -> tensor<?x?x?x64xf16> acc f32
  helios.return %o : tensor<?x?x?x64xf16>
}
helios.kernel @lanes(%q: tensor<?x?x?x64xf16>, %k: tensor<?x?x?x64xf16>, %v: tensor<?x?x?x64xf16>) -> tensor<?x?x?x64xf16>
    attributes {schedule = #helios.schedule<tile = [32, 32, 64], groups = [1, 1], mma = [32, 32, 4]>, target = #spv.target<"simt">} {
  %o = helios.attention %q, %k, %v : (tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>) -> tensor<?x?x?x64xf16> acc f32
  helios.return %o : tensor<?x?x?x64xf16>
}

// -----

// By groups, a branch around the rescaling has to save more than it costs: 128 multiplications of a lane, not 64.
// CHECK-LABEL: tile.program @many_full(
// CHECK: tile.where
// CHECK-LABEL: tile.program @few_full(
// CHECK-NOT: tile.where
helios.kernel @many(%q: tensor<?x?x?x128xf16>, %k: tensor<?x?x?x128xf16>, %v: tensor<?x?x?x128xf16>) -> tensor<?x?x?x128xf16>
    attributes {schedule = #helios.schedule<strategy = groups, tile = [128, 32, 128], groups = [4, 1], mma = [16, 8, 16], depth = 2>,
                target = #ptx.target<"sm_89">} {
  %o = helios.attention %q, %k, %v : (tensor<?x?x?x128xf16>, tensor<?x?x?x128xf16>, tensor<?x?x?x128xf16>) -> tensor<?x?x?x128xf16> acc f32
  helios.return %o : tensor<?x?x?x128xf16>
}
helios.kernel @few(%q: tensor<?x?x?x128xf16>, %k: tensor<?x?x?x128xf16>, %v: tensor<?x?x?x128xf16>) -> tensor<?x?x?x128xf16>
    attributes {schedule = #helios.schedule<strategy = groups, tile = [128, 32, 128], groups = [8, 1], mma = [16, 8, 16], depth = 2>,
                target = #ptx.target<"sm_89">} {
  %o = helios.attention %q, %k, %v : (tensor<?x?x?x128xf16>, tensor<?x?x?x128xf16>, tensor<?x?x?x128xf16>) -> tensor<?x?x?x128xf16> acc f32
  helios.return %o : tensor<?x?x?x128xf16>
}

// -----

// Where results are rescaled only if scores rise by much, a mask that grows with the query is walked from the query back: scores tend to be largest near
// it. A window's blocks are counted from its end to its beginning; that there is one is said again of their number, as passes do not see it of a
// difference.

// CHECK-LABEL: tile.program @backwards_full(
// CHECK: arith.ceildivui %{{.*}}, %c128
// CHECK: arith.ceildivui %{{.*}}, %c128
// CHECK: %[[BEGIN:.*]] = arith.minsi
// CHECK: %[[END:.*]] = arith.minsi
// CHECK: %[[LAST:.*]] = arith.subi %[[END]], %c1
// CHECK: %[[COUNT:.*]] = arith.subi %[[END]], %[[BEGIN]]
// CHECK: %[[LEAST:.*]] = arith.maxsi %[[COUNT]], %c1
// CHECK: %[[TRIPS:.*]] = arith.minsi %[[LEAST]], %[[END]]
// CHECK: scf.for %[[I:.*]] = %c0{{.*}} to %[[TRIPS]]
// CHECK-NEXT: %[[BLOCK:.*]] = arith.subi %[[LAST]], %[[I]]
// CHECK: arith.muli %[[BLOCK]], %c128
helios.kernel @backwards(%q: tensor<?x?x?x128xbf16>, %k: tensor<?x?x?x128xbf16>, %v: tensor<?x?x?x128xbf16>) -> tensor<?x?x?x128xbf16>
    attributes {target = #ptx.target<"sm_90a">,
                schedule = #helios.schedule<strategy = roles, tile = [128, 128, 128], groups = [2, 1], depth = 2, items = persistent, turns = 2>} {
  %o = helios.attention %q, %k, %v
      : (tensor<?x?x?x128xbf16>, tensor<?x?x?x128xbf16>, tensor<?x?x?x128xbf16>) -> tensor<?x?x?x128xbf16> acc f32 mask {
  ^bb0(%b: index, %h: index, %i: index, %j: index):
    %c300 = arith.constant 300 : index
    %d = arith.subi %i, %j : index
    %near = arith.cmpi ult, %d, %c300 : index
    helios.yield %near : i1
  }
  helios.return %o : tensor<?x?x?x128xbf16>
}

// -----

// A bias that all sequences of a batch share: its items follow each other, four sequences at a time. One that heads share: likewise.
// CHECK-LABEL: tile.program @of_batches_full(
// CHECK: %[[M:.*]] = arith.ceildivui
// CHECK: tile.items (%[[H:.*]], %[[B:.*]], %{{.*}}) in (%{{.*}}, %{{.*}}, %[[M]]) #tile.items<grid, raster = [1, 4]>
// CHECK: tile.load %{{.*}}[%[[B]], %[[H]],
// CHECK-LABEL: tile.program @of_heads_full(
// CHECK: tile.items (%[[B:.*]], %[[H:.*]], %{{.*}}) in {{.*}} #tile.items<grid, raster = [1, 4]>
// CHECK: tile.load %{{.*}}[%[[B]], %[[H]],
// CHECK-LABEL: tile.program @of_all_full(
// CHECK: tile.items {{.*}} #tile.items<grid> {
#few = #helios.schedule<strategy = groups, tile = [64, 32, 64], groups = [4, 1], mma = [16, 8, 16], depth = 2>
helios.kernel @of_batches(%q: tensor<?x?x?x64xf16>, %k: tensor<?x?x?x64xf16>, %v: tensor<?x?x?x64xf16>, %bias: tensor<?x?x?xf16>)
    -> tensor<?x?x?x64xf16> attributes {schedule = #few, target = #ptx.target<"sm_89">} {
  %o = helios.attention %q, %k, %v fused(%bias : tensor<?x?x?xf16>) : (tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>)
      -> tensor<?x?x?x64xf16> acc f32 score {
  ^bb0(%s: f32, %e: f16, %b: index, %h: index, %i: index, %j: index):
    %w = arith.extf %e : f16 to f32
    %t = arith.addf %s, %w : f32
    helios.yield %t : f32
  }
  helios.return %o : tensor<?x?x?x64xf16>
}
helios.kernel @of_heads(%q: tensor<?x?x?x64xf16>, %k: tensor<?x?x?x64xf16>, %v: tensor<?x?x?x64xf16>, %bias: tensor<?x1x?x?xf16>)
    -> tensor<?x?x?x64xf16> attributes {schedule = #few, target = #ptx.target<"sm_89">} {
  %o = helios.attention %q, %k, %v fused(%bias : tensor<?x1x?x?xf16>) : (tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>)
      -> tensor<?x?x?x64xf16> acc f32 score {
  ^bb0(%s: f32, %e: f16, %b: index, %h: index, %i: index, %j: index):
    %w = arith.extf %e : f16 to f32
    %t = arith.addf %s, %w : f32
    helios.yield %t : f32
  }
  helios.return %o : tensor<?x?x?x64xf16>
}
helios.kernel @of_all(%q: tensor<?x?x?x64xf16>, %k: tensor<?x?x?x64xf16>, %v: tensor<?x?x?x64xf16>, %bias: tensor<?x?x?x?xf16>)
    -> tensor<?x?x?x64xf16> attributes {schedule = #few, target = #ptx.target<"sm_89">} {
  %o = helios.attention %q, %k, %v fused(%bias : tensor<?x?x?x?xf16>) : (tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>)
      -> tensor<?x?x?x64xf16> acc f32 score {
  ^bb0(%s: f32, %e: f16, %b: index, %h: index, %i: index, %j: index):
    %w = arith.extf %e : f16 to f32
    %t = arith.addf %s, %w : f32
    helios.yield %t : f32
  }
  helios.return %o : tensor<?x?x?x64xf16>
}

// -----

// Weights that are not rounded to fewer bits: the factor is of the difference of scores, and one where the largest stays.
// CHECK-LABEL: tile.program @single_full(
// CHECK: scf.for {{.*}} iter_args(%[[MAX:.*]] = {{.*}}, %{{.*}} = {{.*}}, %{{.*}} = {{.*}})
// CHECK: %[[NEW:.*]] = arith.maximumf %[[MAX]],
// CHECK: %[[AT:.*]] = arith.select %{{.*}}, %{{.*}}, %[[NEW]]
// CHECK: %[[BY:.*]] = arith.subf %[[MAX]], %{{.*}}
// CHECK: %[[SCALED:.*]] = arith.mulf %[[BY]], %{{.*}}
// CHECK: math.exp2 %[[SCALED]] fastmath<afn> : tensor<64xf32>
helios.kernel @single(%q: tensor<?x?x?x64xf32>, %k: tensor<?x?x?x64xf32>, %v: tensor<?x?x?x64xf32>) -> tensor<?x?x?x64xf32>
    attributes {schedule = #helios.schedule<tile = [64, 32, 64], groups = [4, 1]>} {
  %o = helios.attention %q, %k, %v : (tensor<?x?x?x64xf32>, tensor<?x?x?x64xf32>, tensor<?x?x?x64xf32>) -> tensor<?x?x?x64xf32> acc f32
  helios.return %o : tensor<?x?x?x64xf32>
}
