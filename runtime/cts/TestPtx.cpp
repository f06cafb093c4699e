//===- TestPtx.cpp - The test kernels as PTX -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestBundle.h"

namespace helios::cts {

const char *axpyPtx() {
  return R"(.version 7.0
.target sm_80
.address_size 64

.visible .entry axpy(
  .param .u64 x,
  .param .u64 y,
  .param .u64 out,
  .param .u32 count,
  .param .f32 alpha
)
.reqntid 64, 1, 1
{
  .reg .pred %p;
  .reg .b32 %r<4>;
  .reg .b64 %d<5>;
  .reg .f32 %f<5>;

  mov.u32 %r0, %ctaid.x;
  mov.u32 %r1, %tid.x;
  mad.lo.u32 %r2, %r0, 64, %r1;
  ld.param.u32 %r3, [count];
  setp.ge.u32 %p, %r2, %r3;
  @%p bra done;
  ld.param.u64 %d0, [x];
  ld.param.u64 %d1, [y];
  ld.param.u64 %d2, [out];
  mul.wide.u32 %d3, %r2, 4;
  add.u64 %d0, %d0, %d3;
  add.u64 %d1, %d1, %d3;
  add.u64 %d2, %d2, %d3;
  ld.global.f32 %f0, [%d0];
  ld.global.f32 %f1, [%d1];
  ld.param.f32 %f2, [alpha];
  mul.rn.f32 %f3, %f2, %f0;
  add.rn.f32 %f4, %f3, %f1;
  st.global.f32 [%d2], %f4;
done:
  ret;
}
)";
}

const char *tilesPtx() {
  return R"(.version 8.0
.target sm_90
.address_size 64

.extern .shared .align 1024 .b8 box[];

.visible .entry tiles(
  .param .u64 out,
  .param .u64 columns,
  .param .u32 boxesInRow,
  .param .align 64 .b8 map[128]
)
.reqntid 256, 1, 1
{
  .reg .pred %p<3>;
  .reg .b32 %r<16>;
  .reg .b64 %d<12>;
  .reg .f32 %f<3>;
  .shared .align 8 .b64 arrived;

  // A cluster of two covers 16 rows and 32 columns; each its 8 rows.
  mov.u32 %r0, %tid.x;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %cluster_ctarank;
  shr.u32 %r3, %r1, 1;
  ld.param.u32 %r4, [boxesInRow];
  div.u32 %r5, %r3, %r4;
  rem.u32 %r6, %r3, %r4;
  shl.b32 %r7, %r5, 4;
  mad.lo.u32 %r7, %r2, 8, %r7;
  shl.b32 %r8, %r6, 5;
  mov.u32 %r9, arrived;
  mov.u32 %r10, box;

  setp.ne.u32 %p0, %r0, 0;
  @%p0 bra ready;
  mbarrier.init.shared.b64 [%r9], 1;
  fence.mbarrier_init.release.cluster;
  fence.proxy.async;
ready:
  bar.sync 0;
  griddepcontrol.launch_dependents;
  griddepcontrol.wait;
  @%p0 bra wait;
  mov.u64 %d0, map;
  cvta.param.u64 %d0, %d0;
  mbarrier.arrive.expect_tx.shared.b64 %d1, [%r9], 1024;
  cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r10], [%d0, {%r8, %r7}], [%r9];
wait:
  mbarrier.try_wait.parity.shared.b64 %p1, [%r9], 0;
  @!%p1 bra wait;

  shl.b32 %r11, %r0, 2;
  add.u32 %r11, %r10, %r11;
  ld.shared.f32 %f0, [%r11];
  cvt.rn.f32.u32 %f1, %r2;
  add.rn.f32 %f2, %f0, %f1;
  shr.u32 %r12, %r0, 5;
  add.u32 %r12, %r12, %r7;
  and.b32 %r13, %r0, 31;
  add.u32 %r13, %r13, %r8;
  cvt.u64.u32 %d2, %r12;
  cvt.u64.u32 %d3, %r13;
  ld.param.u64 %d4, [columns];
  mad.lo.u64 %d5, %d2, %d4, %d3;
  shl.b64 %d6, %d5, 2;
  ld.param.u64 %d7, [out];
  add.u64 %d8, %d7, %d6;
  st.global.f32 [%d8], %f2;
  ret;
}
)";
}

} // namespace helios::cts
