# LLVM/MLIR 22 from the system, and the helpers with which our libraries are declared.
find_package(MLIR REQUIRED CONFIG PATHS /usr/lib/llvm-22/lib/cmake/mlir)
if(NOT LLVM_VERSION_MAJOR EQUAL 22)
  message(FATAL_ERROR "Helios needs LLVM/MLIR 22, found ${LLVM_PACKAGE_VERSION} in ${MLIR_DIR}. "
    "Install libmlir-22-dev and mlir-22-tools, or pass -DMLIR_DIR=FOLDER.")
endif()
list(APPEND CMAKE_MODULE_PATH "${MLIR_CMAKE_DIR}" "${LLVM_CMAKE_DIR}")
include(TableGen)
include(AddLLVM)
include(AddMLIR)
message(STATUS "MLIR ${LLVM_PACKAGE_VERSION} in ${MLIR_DIR}")

set(HELIOS_LLVM_INCLUDES ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
include_directories(SYSTEM ${HELIOS_LLVM_INCLUDES}) # for TableGen, which reads the directory property
set(HELIOS_LLVM_TOOLS ${LLVM_TOOLS_BINARY_DIR})

# One precompiled header for every translation unit that includes MLIR.
add_library(HeliosPCH OBJECT ${CMAKE_SOURCE_DIR}/cmake/pch.cpp)
target_include_directories(HeliosPCH SYSTEM PUBLIC ${HELIOS_LLVM_INCLUDES})
target_compile_options(HeliosPCH PUBLIC -fno-rtti -fvisibility-inlines-hidden -Wall -Wno-unused-parameter)
target_precompile_headers(HeliosPCH PRIVATE ${CMAKE_SOURCE_DIR}/cmake/pch.h)

if(HELIOS_STATIC_MLIR)
  set(HELIOS_MLIR_LIBS
    MLIRParser MLIRPass MLIRTransforms MLIRTransformUtils MLIRIR MLIRSupport MLIRDialect MLIRFuncDialect
    MLIRArithDialect MLIRArithTransforms MLIRArithValueBoundsOpInterfaceImpl MLIRMathDialect MLIRSCFDialect
    MLIRSCFTransforms MLIRSCFUtils MLIRTensorDialect MLIRLinalgDialect MLIRAffineDialect MLIRAffineUtils
    MLIRAffineAnalysis MLIRIndexDialect MLIRUBDialect MLIRSPIRVDialect MLIRSPIRVConversion MLIRSPIRVTransforms
    MLIRSPIRVSerialization MLIRSPIRVDeserialization MLIRArithToSPIRV MLIRArithAttrToLLVMConversion
    MLIRMathToSPIRV MLIRIndexToSPIRV MLIRUBToSPIRV MLIRSCFToSPIRV MLIRFuncToSPIRV MLIRInferTypeOpInterface
    MLIRValueBoundsOpInterface MLIRDestinationStyleOpInterface MLIRTilingInterface MLIRBytecodeReader
    MLIRBytecodeWriter MLIROptLib MLIRAnalysis MLIRDialectUtils)
else()
  set(HELIOS_MLIR_LIBS MLIR LLVM)
endif()

# helios_library(NAME SOURCES... [DEPENDS targets...] [LINK libraries...])
function(helios_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_include_directories(${name} SYSTEM PUBLIC ${HELIOS_LLVM_INCLUDES})
  target_compile_options(${name} PRIVATE -fno-rtti -fvisibility-inlines-hidden -Wall -Wno-unused-parameter)
  target_precompile_headers(${name} REUSE_FROM HeliosPCH)
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
endfunction()

# helios_tool(NAME SOURCES... [LINK libraries...]): a thin main over the compiler's libraries.
function(helios_tool name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_include_directories(${name} SYSTEM PRIVATE ${HELIOS_LLVM_INCLUDES})
  # -fPIC, not the -fPIE of executables: the precompiled header is shared with the libraries.
  target_compile_options(${name} PRIVATE -fPIC -fno-rtti -fvisibility-inlines-hidden -Wall -Wno-unused-parameter)
  target_precompile_headers(${name} REUSE_FROM HeliosPCH)
  target_link_libraries(${name} PRIVATE ${ARG_LINK} ${HELIOS_MLIR_LIBS})
  target_link_directories(${name} PRIVATE ${LLVM_LIBRARY_DIRS})
endfunction()
