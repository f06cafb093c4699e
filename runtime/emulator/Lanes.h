//===- Lanes.h - The same function for every lane ----------------*- C++
//-*-===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HELIOS_RUNTIME_EMULATOR_LANES_H
#define HELIOS_RUNTIME_EMULATOR_LANES_H

#include "emulator/Decoder.h"
#include "emulator/Machine.h"

namespace helios::emu {

/// d[lane] = f(lane) for the lanes of `m`; whole warps take a loop that
/// compilers turn into vector instructions.
template <typename D, typename F>
inline void forLanes(D *d, Mask m, F f) {
  if (m == kAllLanes) {
    for (unsigned l = 0; l < kLanes; ++l)
      d[l] = f(l);
    return;
  }
  for (; m; m &= m - 1) {
    unsigned l = unsigned(__builtin_ctz(m));
    d[l] = f(l);
  }
}

template <typename F>
inline void eachLane(Mask m, F f) {
  for (; m; m &= m - 1)
    f(unsigned(__builtin_ctz(m)));
}

/// Op::of(a), one operand.
template <typename Op, typename D, typename A>
Step unary(Warp &w, const Inst &i, Mask m) {
  const A *a = w.at<A>(i.a);
  forLanes(w.at<D>(i.d), m, [=](unsigned l) { return D(Op::of(a[l])); });
  return Step::Next;
}

template <typename Op, typename D, typename A, typename B = A>
Step binary(Warp &w, const Inst &i, Mask m) {
  const A *a = w.at<A>(i.a);
  const B *b = w.at<B>(i.b);
  forLanes(w.at<D>(i.d), m, [=](unsigned l) { return D(Op::of(a[l], b[l])); });
  return Step::Next;
}

template <typename Op, typename D, typename A, typename B = A, typename C = A>
Step ternary(Warp &w, const Inst &i, Mask m) {
  const A *a = w.at<A>(i.a);
  const B *b = w.at<B>(i.b);
  const C *c = w.at<C>(i.c);
  forLanes(w.at<D>(i.d), m,
           [=](unsigned l) { return D(Op::of(a[l], b[l], c[l])); });
  return Step::Next;
}

} // namespace helios::emu

#endif // HELIOS_RUNTIME_EMULATOR_LANES_H
