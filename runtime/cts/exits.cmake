# Runs RUN (a list) and checks its exit code and its output.
execute_process(COMMAND ${RUN} RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE err)
if(NOT code STREQUAL "${CODE}")
  message(FATAL_ERROR "exit code ${code}, expected ${CODE}\n${out}${err}")
endif()
if(NOT "${out}${err}" MATCHES "${TEXT}")
  message(FATAL_ERROR "no '${TEXT}' in the output:\n${out}${err}")
endif()
