// RUN: helios-opt --helios-select-schedule --split-input-file %s | FileCheck %s

// Products of few rows: where engines multiply 64 rows at a time, the last five alternatives copy in groups: tiles of eight rows with exchanged
// operands, and of 32 and 16 rows with few columns and with more.

// CHECK-LABEL: @any_rows
// CHECK-SAME: alternatives = [{{.*}}#helios.schedule<strategy = groups, tile = [8, 32, 512], groups = [1, 2], sliced_k = 2, mma = [8, 16, 16], {{[^>]*}}depth = 4{{[^>]*}}>, #helios.schedule<strategy = groups, tile = [32, 32, 256], groups = [1, 2], mma = [16, 8, 16], {{[^>]*}}depth = 4{{[^>]*}}>, #helios.schedule<strategy = groups, tile = [32, 64, 128], groups = [1, 2], mma = [16, 8, 16], {{[^>]*}}depth = 4{{[^>]*}}>, #helios.schedule<strategy = groups, tile = [16, 32, 256], groups = [1, 2], mma = [16, 8, 16], {{[^>]*}}depth = 4{{[^>]*}}>, #helios.schedule<strategy = groups, tile = [16, 64, 128], groups = [1, 4], mma = [16, 8, 16], {{[^>]*}}depth = 4{{[^>]*}}>]
helios.kernel @any_rows(%a: tensor<?x4096xbf16>, %b: tensor<4096x4096xbf16>) -> tensor<?x4096xbf16> attributes {target = #ptx.target<"sm_90a">} {
  %d = helios.matmul %a, %b {transpose_b} : (tensor<?x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<?x4096xbf16> acc f32
  helios.return %d : tensor<?x4096xbf16>
}

// -----

// CHECK-LABEL: @one_row
// CHECK-SAME: strategy = groups, tile = [16, 32, 256]{{.*}}strategy = groups, tile = [16, 64, 128]
helios.kernel @one_row(%a: tensor<1x?xf16>, %b: tensor<?x?xf16>) -> tensor<1x?xf16> attributes {target = #ptx.target<"sm_90a">} {
  %d = helios.matmul %a, %b {transpose_b} : (tensor<1x?xf16>, tensor<?x?xf16>) -> tensor<1x?xf16> acc f32
  helios.return %d : tensor<1x?xf16>
}

// -----

// Rows of B that run along n do as well.
// CHECK-LABEL: @rows_along_n
// CHECK-SAME: strategy = groups, tile = [16, 32, 256]{{.*}}strategy = groups, tile = [16, 64, 128]
helios.kernel @rows_along_n(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16> attributes {target = #ptx.target<"sm_90a">} {
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

// Lanes that convert elements of an operand one by one have half the columns, and multiply slices of a step. Half as many rows take the
// instruction with exchanged operands.
// CHECK-LABEL: @converting
// CHECK-SAME: strategy = groups, tile = [16, 16, 1024], groups = [1, 2], sliced_k = 2, {{[^>]*}}depth = 2{{[^>]*}}>, #helios.schedule<strategy = groups, tile = [16, 32, 256], groups = [1, 4], sliced_k = 2, mma = [16, 8, 16], depth = 4>
// CHECK-SAME: #helios.schedule<strategy = groups, tile = [8, 16, 1024], groups = [1, 1], sliced_k = 4, mma = [8, 16, 16], depth = 2>, #helios.schedule<strategy = groups, tile = [8, 16, 512], groups = [1, 1], sliced_k = 4, mma = [8, 16, 16], depth = 4>]
helios.kernel @converting(%a: tensor<?x?xbf16>, %b: tensor<?x?xi8>, %scale: tensor<?x1xbf16>) -> tensor<?x?xbf16> attributes {target = #ptx.target<"sm_90a">} {
  %d = helios.matmul %a, %b prologue(%scale : tensor<?x1xbf16>) {transpose_b} : (tensor<?x?xbf16>, tensor<?x?xi8>) -> tensor<?x?xbf16> acc f32 prologue {
  ^bb0(%stored: i8, %factor: bf16):
    %weight = arith.sitofp %stored : i8 to bf16
    %scaled = arith.mulf %weight, %factor : bf16
    helios.yield %scaled : bf16
  }
  helios.return %d : tensor<?x?xbf16>
}

// -----

// Beside these are tiles of more columns to a group, and of the rows of two instructions.
// CHECK-LABEL: @more_rows
// CHECK-SAME: tile = [16, 64, 512], groups = [1, 4], mma = [16, 8, 16], depth = 2
// CHECK-SAME: tile = [32, 32, 1024], groups = [1, 4], mma = [16, 8, 16], depth = 2
// CHECK-SAME: tile = [32, 64, 512], groups = [1, 4], mma = [16, 8, 16], depth = 2
// CHECK-NOT: tile = [8,
helios.kernel @more_rows(%a: tensor<20x?xbf16>, %b: tensor<?x?xi8>, %scale: tensor<?x?xbf16>) -> tensor<20x?xbf16> attributes {target = #ptx.target<"sm_90a">} {
  %d = helios.matmul %a, %b prologue(%scale : tensor<?x?xbf16>) {group = 128 : i64, transpose_b} : (tensor<20x?xbf16>, tensor<?x?xi8>) -> tensor<20x?xbf16> acc f32 prologue {
  ^bb0(%stored: i8, %factor: bf16):
    %weight = arith.sitofp %stored : i8 to bf16
    %scaled = arith.mulf %weight, %factor : bf16
    helios.yield %scaled : bf16
  }
  helios.return %d : tensor<20x?xbf16>
}

// -----

// Tiles of 64 columns come in slices of K too, with another price of an element.
// CHECK-LABEL: @sliced
// CHECK-SAME: #helios.schedule<strategy = groups, tile = [16, 64, 512], groups = [1, 4], mma = [16, 8, 16], depth = 2{{[^>]*}}>, #helios.schedule<strategy = groups, tile = [16, 64, 512], groups = [1, 4], mma = [16, 8, 16], depth = 2, {{[^>]*}}split_k = 0>
// CHECK-SAME: read_weights = array<i64: 800000000, 16, 4,
helios.kernel @sliced(%a: tensor<?x?xbf16>, %b: tensor<?x?xi8>, %scale: tensor<?x?xbf16>) -> tensor<?x?xbf16> attributes {target = #ptx.target<"sm_90a">} {
  %d = helios.matmul %a, %b prologue(%scale : tensor<?x?xbf16>) {group = 128 : i64, transpose_b} : (tensor<?x?xbf16>, tensor<?x?xi8>) -> tensor<?x?xbf16> acc f32 prologue {
  ^bb0(%both: i8, %factor: bf16):
    %c4 = arith.constant 4 : i8
    %raised = arith.shli %both, %c4 : i8
    %low = arith.shrsi %raised, %c4 : i8
    %high = arith.shrsi %both, %c4 : i8
    %low16 = arith.sitofp %low : i8 to bf16
    %high16 = arith.sitofp %high : i8 to bf16
    %first = arith.mulf %low16, %factor : bf16
    %second = arith.mulf %high16, %factor : bf16
    helios.yield %first, %second : bf16, bf16
  }
  helios.return %d : tensor<?x?xbf16>
}

// -----

// Little K has none, nor has a product whose rows may not depend on how many there are.
// CHECK-LABEL: @little_k
// CHECK-NOT: tile = [16, 64, 512]{{[^>]*}}split_k
helios.kernel @little_k(%a: tensor<?x512xbf16>, %b: tensor<?x512xi8>, %scale: tensor<?x4xbf16>) -> tensor<?x?xbf16> attributes {target = #ptx.target<"sm_90a">} {
  %d = helios.matmul %a, %b prologue(%scale : tensor<?x4xbf16>) {group = 128 : i64, transpose_b} : (tensor<?x512xbf16>, tensor<?x512xi8>) -> tensor<?x?xbf16> acc f32 prologue {
  ^bb0(%stored: i8, %factor: bf16):
    %weight = arith.sitofp %stored : i8 to bf16
    %scaled = arith.mulf %weight, %factor : bf16
    helios.yield %scaled : bf16
  }
  helios.return %d : tensor<?x?xbf16>
}

// -----

// CHECK-LABEL: @invariant
// CHECK-NOT: tile = [16, 64, 512]{{[^>]*}}split_k
helios.kernel @invariant(%a: tensor<?x?xbf16>, %b: tensor<?x?xi8>, %scale: tensor<?x?xbf16>) -> tensor<?x?xbf16> attributes {target = #ptx.target<"sm_90a">} {
  %d = helios.matmul %a, %b prologue(%scale : tensor<?x?xbf16>) {batch_invariant, group = 128 : i64, transpose_b} : (tensor<?x?xbf16>, tensor<?x?xi8>) -> tensor<?x?xbf16> acc f32 prologue {
  ^bb0(%stored: i8, %factor: bf16):
    %weight = arith.sitofp %stored : i8 to bf16
    %scaled = arith.mulf %weight, %factor : bf16
    helios.yield %scaled : bf16
  }
  helios.return %d : tensor<?x?xbf16>
}

// -----

// More rows than these have none.
// CHECK-LABEL: @many_rows
// CHECK-NOT: tile = [16,
helios.kernel @many_rows(%a: tensor<33x?xbf16>, %b: tensor<?x?xi8>, %scale: tensor<?x?xbf16>) -> tensor<33x?xbf16> attributes {target = #ptx.target<"sm_90a">} {
  %d = helios.matmul %a, %b prologue(%scale : tensor<?x?xbf16>) {group = 128 : i64, transpose_b} : (tensor<33x?xbf16>, tensor<?x?xi8>) -> tensor<33x?xbf16> acc f32 prologue {
  ^bb0(%stored: i8, %factor: bf16):
    %weight = arith.sitofp %stored : i8 to bf16
    %scaled = arith.mulf %weight, %factor : bf16
    helios.yield %scaled : bf16
  }
  helios.return %d : tensor<33x?xbf16>
}

// -----

// They have no more than eight.
// CHECK-LABEL: @nine_rows
// CHECK-SAME: tile = [16, 16, 1024]
// CHECK-NOT: tile = [8,
helios.kernel @nine_rows(%a: tensor<9x?xbf16>, %b: tensor<?x?xi8>, %scale: tensor<?x1xbf16>) -> tensor<9x?xbf16> attributes {target = #ptx.target<"sm_90a">} {
  %d = helios.matmul %a, %b prologue(%scale : tensor<?x1xbf16>) {transpose_b} : (tensor<9x?xbf16>, tensor<?x?xi8>) -> tensor<9x?xbf16> acc f32 prologue {
  ^bb0(%stored: i8, %factor: bf16):
    %weight = arith.sitofp %stored : i8 to bf16
    %scaled = arith.mulf %weight, %factor : bf16
    helios.yield %scaled : bf16
  }
  helios.return %d : tensor<9x?xbf16>
}

// -----

// More rows are never few; columns of A are not rows that copies find beside each other; other rows of the table have no roles.
// CHECK-LABEL: @not_few
// CHECK-NOT: tile = [16,
helios.kernel @not_few(%a: tensor<33x?xf16>, %b: tensor<?x?xf16>) -> tensor<33x?xf16> attributes {target = #ptx.target<"sm_90a">} {
  %d = helios.matmul %a, %b {transpose_b} : (tensor<33x?xf16>, tensor<?x?xf16>) -> tensor<33x?xf16> acc f32
  helios.return %d : tensor<33x?xf16>
}

// -----

// CHECK-LABEL: @columns
// CHECK-NOT: tile = [16,
helios.kernel @columns(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16> attributes {target = #ptx.target<"sm_90a">} {
  %d = helios.matmul %a, %b {transpose_a} : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

// CHECK-LABEL: @older
// CHECK-NOT: tile = [16, 32, 256]
helios.kernel @older(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16> attributes {target = #ptx.target<"sm_89">} {
  %d = helios.matmul %a, %b {transpose_b} : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}
