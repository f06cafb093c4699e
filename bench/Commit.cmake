# Writes OUTPUT, a header with the commit of SOURCE, if it changed.
execute_process(COMMAND git -C ${SOURCE} describe --always --dirty --abbrev=12 --exclude=*
  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT commit)
  set(commit "unknown")
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "#define HELIOS_BENCH_COMMIT \"${commit}\"\n")
