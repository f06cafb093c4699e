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

# helios_pch(NAME HEADER): a precompiled header for translation units that include MLIR.
function(helios_pch name header)
  add_library(${name} OBJECT ${CMAKE_SOURCE_DIR}/cmake/pch.cpp)
  target_include_directories(${name} SYSTEM PUBLIC ${HELIOS_LLVM_INCLUDES})
  target_compile_options(${name} PUBLIC -fno-rtti -fvisibility-inlines-hidden -Wall -Wno-unused-parameter)
  target_precompile_headers(${name} PRIVATE ${CMAKE_SOURCE_DIR}/cmake/${header})
endfunction()

# Most share one. With the dialects of level 4 in it a translation unit of theirs takes 4 s, not 21 (docs/benchmarks/2026-11-30).
helios_pch(HeliosPCH pch.h)
helios_pch(HeliosPtxPCH pch_ptx.h)
helios_pch(HeliosSpirvPCH pch_spirv.h)

if(HELIOS_STATIC_MLIR)
  set(HELIOS_MLIR_LIBS
    MLIROptLib MLIRLspServerLib MLIRParser MLIRPass MLIRTransforms MLIRTransformUtils MLIRIR MLIRSupport MLIRAnalysis
    MLIRDialect MLIRDialectUtils MLIRArithDialect MLIRArithTransforms MLIRArithUtils MLIRArithValueBoundsOpInterfaceImpl
    MLIRMathDialect MLIRMathTransforms MLIRSCFDialect MLIRSCFTransforms MLIRSCFUtils MLIRTensorDialect MLIRLinalgDialect
    MLIRAffineDialect MLIRAffineUtils MLIRAffineAnalysis MLIRIndexDialect MLIRUBDialect MLIRFuncDialect MLIRVectorDialect
    MLIRSPIRVDialect MLIRSPIRVConversion MLIRSPIRVTransforms MLIRSPIRVSerialization MLIRArithToSPIRV MLIRMathToSPIRV
    MLIRIndexToSPIRV MLIRUBToSPIRV MLIRSCFToSPIRV MLIRFuncToSPIRV MLIRInferTypeOpInterface MLIRValueBoundsOpInterface
    MLIRDestinationStyleOpInterface MLIRTilingInterface MLIRBytecodeReader MLIRBytecodeWriter
    MLIRGPUDialect MLIRLLVMDialect MLIRNVVMDialect MLIRControlFlowDialect MLIRArithToLLVM MLIRMathToLLVM MLIRControlFlowToLLVM
    MLIRSCFToControlFlow MLIRLLVMCommonConversion MLIRTargetLLVMIRExport MLIRBuiltinToLLVMIRTranslation
    MLIRGPUToLLVMIRTranslation MLIRLLVMToLLVMIRTranslation MLIRNVVMToLLVMIRTranslation)
  # A distribution's static MLIR libraries name the shared LLVM as what they need: the static one takes its place.
  function(helios_link_static target)
    get_property(seen GLOBAL PROPERTY HELIOS_STATIC_TARGETS)
    if(target IN_LIST seen OR NOT TARGET ${target})
      return()
    endif()
    set_property(GLOBAL APPEND PROPERTY HELIOS_STATIC_TARGETS ${target})
    get_target_property(needs ${target} INTERFACE_LINK_LIBRARIES)
    if(needs)
      list(REMOVE_ITEM needs LLVM)
      list(FILTER needs EXCLUDE REGEX "libz3|LibEdit|LibXml2|FFI")
      if(TARGET zstd::libzstd_static)
        list(TRANSFORM needs REPLACE "^zstd::libzstd_shared$" "zstd::libzstd_static")
      endif()
      find_library(HELIOS_STATIC_ZLIB NAMES libz.a)
      if(HELIOS_STATIC_ZLIB)
        list(TRANSFORM needs REPLACE "^ZLIB::ZLIB$" "${HELIOS_STATIC_ZLIB}")
      endif()
      set_target_properties(${target} PROPERTIES INTERFACE_LINK_LIBRARIES "${needs}")
      foreach(need IN LISTS needs)
        helios_link_static(${need})
      endforeach()
    endif()
  endfunction()
  list(APPEND HELIOS_MLIR_LIBS LLVMNVPTXCodeGen LLVMNVPTXDesc LLVMNVPTXInfo LLVMPasses LLVMTarget LLVMRemarks LLVMTargetParser LLVMOption LLVMSupportLSP LLVMSupport)
  foreach(library IN LISTS HELIOS_MLIR_LIBS)
    helios_link_static(${library})
  endforeach()
  # What no tool uses is left out, and nothing of the compiler that built the tools is needed to run them.
  add_compile_options(-ffunction-sections -fdata-sections)
  add_link_options(-Wl,--gc-sections -Wl,--as-needed -static-libstdc++ -static-libgcc $<$<CONFIG:Release>:-s>)
else()
  set(HELIOS_MLIR_LIBS MLIR LLVM)
endif()

# Compilation makes and frees many small objects, for which the C library's malloc takes an eighth of the time more. Portable
# tools do without one more library.
if(HELIOS_MIMALLOC AND NOT HELIOS_STATIC_MLIR)
  find_package(mimalloc 2.0 CONFIG QUIET)
  if(TARGET mimalloc)
    message(STATUS "mimalloc ${mimalloc_VERSION}")
  else()
    message(STATUS "mimalloc is not installed (libmimalloc-dev): the compiler takes about an eighth longer")
  endif()
endif()

# helios_library(NAME SOURCES... [PCH target] [DEPENDS targets...] [LINK libraries...]): HeliosPCH unless PCH says another.
function(helios_library name)
  cmake_parse_arguments(ARG "" "PCH" "DEPENDS;LINK" ${ARGN})
  if(NOT ARG_PCH)
    set(ARG_PCH HeliosPCH)
  endif()
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_include_directories(${name} SYSTEM PUBLIC ${HELIOS_LLVM_INCLUDES})
  target_compile_options(${name} PRIVATE -fno-rtti -fvisibility-inlines-hidden -Wall -Wno-unused-parameter)
  target_precompile_headers(${name} REUSE_FROM ${ARG_PCH})
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
  if(TARGET mimalloc)
    target_link_libraries(${name} PRIVATE mimalloc) # before libraries that allocate
  endif()
  target_link_libraries(${name} PRIVATE ${ARG_LINK} ${HELIOS_MLIR_LIBS})
  target_link_directories(${name} PRIVATE ${LLVM_LIBRARY_DIRS})
endfunction()
