// RUN: helios-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{has alternatives to no schedule; give it one}}
helios.kernel @alone(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16>
    attributes {alternatives = [#helios.schedule<tile = [32, 32, 16]>]} {
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

// expected-error @+1 {{must have 2 weights, one for its schedule and each alternative, got 1}}
helios.kernel @few(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16>
    attributes {schedule = #helios.schedule<tile = [64, 64, 16]>, alternatives = [#helios.schedule<tile = [32, 32, 16]>], weights = array<i64: 3>} {
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

// expected-error @+1 {{must have weights in [1, 2147483647], got 0}}
helios.kernel @free(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16>
    attributes {schedule = #helios.schedule<tile = [64, 64, 16]>, alternatives = [#helios.schedule<tile = [32, 32, 16]>], weights = array<i64: 3, 0>} {
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

// expected-error @+1 {{must have as many unaligned_weights as weights, 2, got 1}}
helios.kernel @off_lines(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16>
    attributes {schedule = #helios.schedule<tile = [64, 64, 16]>, alternatives = [#helios.schedule<tile = [32, 32, 16]>], weights = array<i64: 3, 1>,
                unaligned_weights = array<i64: 5>} {
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

// expected-error @+1 {{must have weights in [1, 2147483647], got 0}}
helios.kernel @free_off_lines(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16>
    attributes {schedule = #helios.schedule<tile = [64, 64, 16]>, alternatives = [#helios.schedule<tile = [32, 32, 16]>], weights = array<i64: 3, 1>,
                unaligned_weights = array<i64: 5, 0>} {
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

// expected-error @+1 {{must have as many alone_weights as weights, 2, got 3}}
helios.kernel @alone(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16>
    attributes {schedule = #helios.schedule<tile = [64, 64, 16]>, alternatives = [#helios.schedule<tile = [32, 32, 16]>], weights = array<i64: 3, 1>,
                alone_weights = array<i64: 5, 2, 1>} {
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

// expected-error @+1 {{must have weights in [1, 2147483647], got -2}}
helios.kernel @less_than_alone(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16>
    attributes {schedule = #helios.schedule<tile = [64, 64, 16]>, alternatives = [#helios.schedule<tile = [32, 32, 16]>], weights = array<i64: 3, 1>,
                alone_weights = array<i64: 5, -2>} {
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

// expected-error @+1 {{must have 2 sum_weights, for a dispatch and for an element of a slice, because one of its schedules splits K, got 0}}
helios.kernel @split(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16>
    attributes {schedule = #helios.schedule<tile = [64, 64, 16]>, alternatives = [#helios.schedule<tile = [64, 64, 16], split_k = 4>], weights = array<i64: 3, 3>} {
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

// expected-error @+1 {{must have sum_weights in [0, 2147483647], got -1}}
helios.kernel @paid(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16>
    attributes {schedule = #helios.schedule<tile = [64, 64, 16]>, alternatives = [#helios.schedule<tile = [64, 64, 16], split_k = 0>], weights = array<i64: 3, 3>,
                sum_weights = array<i64: 5, -1>} {
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

// expected-error @+1 {{must have 2 pack_weights, for a dispatch and for an element, because one of its schedules packs an operand, got 0}}
helios.kernel @packs(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16>
    attributes {schedule = #helios.schedule<tile = [64, 64, 16]>, alternatives = [#helios.schedule<tile = [64, 64, 16], pack = b>], weights = array<i64: 3, 2>} {
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

// expected-error @+1 {{must have 2 turn_weights, for a dispatch and for an element, because one of its schedules turns an operand, got 0}}
helios.kernel @turns(%a: tensor<?x?xi8>, %b: tensor<?x?xi8>) -> tensor<?x?xi32>
    attributes {schedule = #helios.schedule<tile = [64, 64, 32]>, alternatives = [#helios.schedule<tile = [64, 64, 32], turn = b>], weights = array<i64: 3, 2>} {
  %d = helios.matmul %a, %b : (tensor<?x?xi8>, tensor<?x?xi8>) -> tensor<?x?xi32> acc i32
  helios.return %d : tensor<?x?xi32>
}

// -----

// expected-error @+1 {{must have 2 make_weights, for a dispatch and for an element, because one of its schedules makes a right operand, got 1}}
helios.kernel @makes(%a: tensor<?x?xf16>, %b: tensor<?x?xi8>) -> tensor<?x?xf16>
    attributes {schedule = #helios.schedule<tile = [64, 64, 16]>, alternatives = [#helios.schedule<tile = [64, 64, 16], apart = b>], weights = array<i64: 3, 2>,
                make_weights = array<i64: 5>} {
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xi8>) -> tensor<?x?xf16> acc f32 prologue {
  ^bb0(%x: i8):
    %y = arith.sitofp %x : i8 to f16
    helios.yield %y : f16
  }
  helios.return %d : tensor<?x?xf16>
}

// -----

// expected-error @+1 {{must have pack_weights in [0, 2147483647], got -2}}
helios.kernel @packs_for_nothing(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16>
    attributes {schedule = #helios.schedule<tile = [64, 64, 16]>, alternatives = [#helios.schedule<tile = [64, 64, 16], pack = b>], weights = array<i64: 3, 2>,
                pack_weights = array<i64: 5, -2>} {
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

// expected-error @+1 {{must have 3 write_weights, for an item, for a byte of it and the bytes from which on they count, got 2}}
helios.kernel @writes(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16>
    attributes {schedule = #helios.schedule<tile = [64, 64, 16]>, alternatives = [#helios.schedule<tile = [64, 64, 16]>], weights = array<i64: 3, 2>,
                write_weights = array<i64: 5, 2>} {
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

// expected-error @+1 {{must have 6 read_weights, for the bits from which on they count, an element of a row, one of a column, 1024 bytes and each schedule, beside item_weights, got 5}}
helios.kernel @reads(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16>
    attributes {schedule = #helios.schedule<tile = [64, 64, 16]>, alternatives = [#helios.schedule<tile = [64, 64, 16]>], weights = array<i64: 3, 2>,
                item_weights = array<i64: 5, 0, 5, 0>, read_weights = array<i64: 100, 2, 2, 7, 5>} {
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

// expected-error @+1 {{must have read_weights in [0, 2147483647], got -1}}
helios.kernel @reads_less_than_nothing(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16>
    attributes {schedule = #helios.schedule<tile = [64, 64, 16]>, alternatives = [#helios.schedule<tile = [64, 64, 16]>], weights = array<i64: 3, 2>,
                item_weights = array<i64: 5, 0, 5, 0>, read_weights = array<i64: 100, 2, 2, 7, 5, -1>} {
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

// expected-error @+1 {{must have 4 item_weights, for a tile and for the end of a launch of each schedule, got 2}}
helios.kernel @items(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16>
    attributes {schedule = #helios.schedule<tile = [64, 64, 16]>, alternatives = [#helios.schedule<tile = [32, 32, 16]>], weights = array<i64: 3, 1>,
                item_weights = array<i64: 5, 0>} {
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

// expected-error @+1 {{must have item_weights in [0, 2147483647], got -2}}
helios.kernel @refunded(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16>
    attributes {schedule = #helios.schedule<tile = [64, 64, 16]>, alternatives = [#helios.schedule<tile = [32, 32, 16]>], weights = array<i64: 3, 1>,
                item_weights = array<i64: 5, 0, -2, 0>} {
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

// expected-error @+1 {{must have 'modelled' in [0, 1], the number of its schedules, got 2}}
helios.kernel @modelled(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16> attributes {schedule = #helios.schedule<tile = [64, 64, 16]>, modelled = 2 : i64} {
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

// expected-error @+1 {{must have 'tuned' name one of its 1 schedules, got number 1}}
helios.kernel @tuned(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16>
    attributes {schedule = #helios.schedule<tile = [64, 64, 16]>, tuned = [#helios.tuned<1, above = [0, 0, 0], upto = [16, 16, 16], aligned = true>]} {
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

// expected-error @+1 {{expected a choice of 0 or more, got -1}}
#negative = #helios.tuned<-1, above = [0, 0, 0], upto = [16, 16, 16], aligned = true>

// -----

// expected-error @+1 {{expected ranges of M, N and K, got 2 and 3 extents}}
#few = #helios.tuned<0, above = [0, 0], upto = [16, 16, 16], aligned = true>

// -----

// expected-error @+1 {{expected extents above 16 and up to a larger one, got 16}}
#none = #helios.tuned<0, above = [0, 16, 0], upto = [16, 16, 16], aligned = false>

// -----

// expected-error @+1 {{must have 'workgroup_weight' in [0, 2147483647] and beside item_weights, got -1}}
helios.kernel @workgroups(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16>
    attributes {schedule = #helios.schedule<tile = [64, 64, 16]>, alternatives = [#helios.schedule<tile = [32, 32, 16]>], weights = array<i64: 3, 1>,
                item_weights = array<i64: 5, 0, 4, 0>, workgroup_weight = -1 : i64} {
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

// expected-error @+1 {{must have 6 outside_weights, three for a row and for a column each, beside item_weights, got 1}}
helios.kernel @outside(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16>
    attributes {schedule = #helios.schedule<tile = [64, 64, 16]>, alternatives = [#helios.schedule<tile = [32, 32, 16]>], weights = array<i64: 3, 1>,
                item_weights = array<i64: 5, 0, 4, 0>, outside_weights = array<i64: 1>} {
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

// expected-error @+1 {{must have outside_weights in [0, 2147483647], got -2}}
helios.kernel @inside(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16>
    attributes {schedule = #helios.schedule<tile = [64, 64, 16]>, alternatives = [#helios.schedule<tile = [32, 32, 16]>], weights = array<i64: 3, 1>,
                item_weights = array<i64: 5, 0, 4, 0>, outside_weights = array<i64: 1, -2, 1, 1, 1, 1>} {
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}
