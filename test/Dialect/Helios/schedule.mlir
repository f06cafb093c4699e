// RUN: helios-opt %s | helios-opt | FileCheck %s

// What has its default is not printed.
// CHECK: schedule = #helios.schedule<>
// CHECK: schedule = #helios.schedule<strategy = roles, tile = [128, 256, 64], groups = [2, 4], mma = [16, 16, 16], depth = 4, pad = 0, raster = 16, epilogue_rows = 64, unroll = 2, ahead = 1, split_k = 0>
// CHECK: schedule = #helios.schedule<groups = [1, 8]>
module {
  helios.kernel @defaults(%a: tensor<?x?xf16>) -> tensor<?x?xf16>
      attributes {schedule = #helios.schedule<tile = [128, 128, 32], depth = 1>} {
    helios.return %a : tensor<?x?xf16>
  }
  helios.kernel @everything(%a: tensor<?x?xf16>) -> tensor<?x?xf16>
      attributes {schedule = #helios.schedule<raster = 16, strategy = roles, tile = [128, 256, 64], groups = [2, 4],
                                              mma = [16, 16, 16], depth = 4, pad = 0, epilogue_rows = 64, unroll = 2, ahead = 1, split_k = 0>} {
    helios.return %a : tensor<?x?xf16>
  }
  helios.kernel @some(%a: tensor<?x?xf16>) -> tensor<?x?xf16> attributes {schedule = #helios.schedule<groups = [1, 8]>} {
    helios.return %a : tensor<?x?xf16>
  }
}
