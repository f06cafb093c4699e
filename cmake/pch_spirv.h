// Headers of the dialect below level 3 on Vulkan as well.
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "pch.h"
