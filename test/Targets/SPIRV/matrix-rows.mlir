// RUN: helios-opt %s --convert-frag-to-spirv | FileCheck %s
//
// How large elements of the array are that shared memory is: rows of matrices start where one does.

// Rows of 16 bytes want no smaller elements, whatever the extent across.
#wide = #spv.coop<[8, 16, 32], i8, i8, i32, lanes = 8>

// CHECK-LABEL: spirv.func @wide
// CHECK: spirv.KHR.CooperativeMatrixLoad {{.*}}, <RowMajor>, <NonPrivatePointer> : !spirv.ptr<vector<4xi32>, Workgroup>, i32 -> !spirv.coopmatrix<8x32xsi8, Subgroup, MatrixA>
// CHECK: spirv.KHR.CooperativeMatrixLoad {{.*}}, <RowMajor>, <NonPrivatePointer> : !spirv.ptr<vector<4xi32>, Workgroup>, i32 -> !spirv.coopmatrix<32x16xsi8, Subgroup, MatrixB>
frag.kernel @wide() attributes {threads = 8 : i64, shared_bytes = 1280 : i64} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %s = frag.shared 0 : !frag.mem<8x32xi8, #tile.shared<order = [1, 0]>>
  %t = frag.shared 256 : !frag.mem<32x16xi8, #tile.shared<order = [1, 0]>>
  %r = frag.shared 768 : !frag.mem<8x16xi32, #tile.shared<order = [1, 0]>>
  %z = frag.splat %zero : i32 -> !frag.f<8x16xi32, #tile.opaque<acc, #wide, groups = [1, 1]>>
  %a = frag.read %s[%c0, %c0] : !frag.mem<8x32xi8, #tile.shared<order = [1, 0]>> -> !frag.f<8x32xi8, #tile.opaque<a, #wide, groups = [1, 1]>>
  %b = frag.read %t[%c0, %c0] : !frag.mem<32x16xi8, #tile.shared<order = [1, 0]>> -> !frag.f<32x16xi8, #tile.opaque<b, #wide, groups = [1, 1]>>
  %d = frag.mma #wide %a, %b, %z : !frag.f<8x32xi8, #tile.opaque<a, #wide, groups = [1, 1]>>, !frag.f<32x16xi8, #tile.opaque<b, #wide, groups = [1, 1]>>, !frag.f<8x16xi32, #tile.opaque<acc, #wide, groups = [1, 1]>>
  frag.write %d, %r[%c0, %c0] : !frag.f<8x16xi32, #tile.opaque<acc, #wide, groups = [1, 1]>>, !frag.mem<8x16xi32, #tile.shared<order = [1, 0]>>
  frag.return
}

// Where the fastest dimension runs across a matrix of 8 rows, these are 8 bytes: only then elements have 8.
// CHECK-LABEL: spirv.func @across
// CHECK: spirv.KHR.CooperativeMatrixLoad {{.*}}, <ColumnMajor>, <NonPrivatePointer> : !spirv.ptr<vector<2xi32>, Workgroup>, i32 -> !spirv.coopmatrix<8x32xsi8, Subgroup, MatrixA>
frag.kernel @across() attributes {threads = 8 : i64, shared_bytes = 1280 : i64} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %s = frag.shared 0 : !frag.mem<8x32xi8, #tile.shared<order = [0, 1]>>
  %t = frag.shared 256 : !frag.mem<32x16xi8, #tile.shared<order = [1, 0]>>
  %r = frag.shared 768 : !frag.mem<8x16xi32, #tile.shared<order = [1, 0]>>
  %z = frag.splat %zero : i32 -> !frag.f<8x16xi32, #tile.opaque<acc, #wide, groups = [1, 1]>>
  %a = frag.read %s[%c0, %c0] : !frag.mem<8x32xi8, #tile.shared<order = [0, 1]>> -> !frag.f<8x32xi8, #tile.opaque<a, #wide, groups = [1, 1]>>
  %b = frag.read %t[%c0, %c0] : !frag.mem<32x16xi8, #tile.shared<order = [1, 0]>> -> !frag.f<32x16xi8, #tile.opaque<b, #wide, groups = [1, 1]>>
  %d = frag.mma #wide %a, %b, %z : !frag.f<8x32xi8, #tile.opaque<a, #wide, groups = [1, 1]>>, !frag.f<32x16xi8, #tile.opaque<b, #wide, groups = [1, 1]>>, !frag.f<8x16xi32, #tile.opaque<acc, #wide, groups = [1, 1]>>
  frag.write %d, %r[%c0, %c0] : !frag.f<8x16xi32, #tile.opaque<acc, #wide, groups = [1, 1]>>, !frag.mem<8x16xi32, #tile.shared<order = [1, 0]>>
  frag.return
}
