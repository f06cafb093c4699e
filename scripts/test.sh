#!/usr/bin/env bash
# Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# test.sh [--preset NAME]
#
# Sets the machine up (see setup.sh), builds, and runs every test: the unit
# tests and the runtime's conformance suite (ctest), then the lit suite with
# the end-to-end runs on lavapipe. Needs no GPU and no terminal. The last line
# is "N passed, N failed[, N skipped]"; the exit status is 1 if anything failed.

case ${1:-} in
  -h | --help) sed -n '5,10s/^# \{0,1\}//p' "$0"; exit 0 ;;
  --preset) PRESET=${2:?test.sh: --preset wants a name} ;;
  '') ;;
  *) echo "test.sh: unknown argument $1 (see --help)" >&2; exit 2 ;;
esac

# shellcheck source=scripts/setup.sh
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
STEPS=$((SETUP_STEPS + 2))
helios_setup

BUILD=$(build_dir)
REPORTS=$BUILD/reports
rm -rf "$REPORTS"
mkdir -p "$REPORTS"
JOBS=${HELIOS_JOBS:-$(nproc)}
export XDG_CACHE_HOME=$BUILD/cache # pipeline caches and device verdicts stay in the build folder

unit_tests() {
  ctest --test-dir "$BUILD" -j "$JOBS" --timeout 1200 --output-on-failure \
    --test-output-size-passed 1000000 --output-junit "$REPORTS/ctest.xml"
}

lit_tests() {
  local lit=/usr/lib/llvm-22/bin/lit # runs as it is packaged, with python3 alone
  [ -x "$lit" ] || lit=$(command -v lit)
  # Interrupted, lit reports which tests it had not run; --max-time limits each of them alone.
  timeout -s INT -k 120 4140 "$lit" -j "$JOBS" -v --show-unsupported --xunit-xml-output "$REPORTS/lit.xml" "$BUILD/test"
}

# A failed test is counted below; it does not keep the others from running.
export STEP_MAY_FAIL=1
status=0
step 'unit tests and conformance suite' '' unit_tests || status=1
reports=("$REPORTS/ctest.xml")
if [ "$PRESET" = runtime-only ]; then
  echo "[$STEPS/$STEPS] no lit tests: this preset has no compiler"
else
  step 'lit tests, end to end on lavapipe' '' lit_tests || status=1
  reports+=("$REPORTS/lit.xml")
fi

trap - ERR
if [ $status -ne 0 ]; then
  grep -hE -A 40 '^(\*{20} TEST .* FAILED|.*\*\*\*(Failed|Exception|Timeout))' "$LOGS/test-4.log" "$LOGS/test-5.log" 2>/dev/null | tail -n 200 || true
  echo "everything the tests said: ${LOGS#"$ROOT"/}/test-4.log and test-5.log; see docs/testing.md"
fi
"$ROOT/scripts/count_tests.py" "${reports[@]}" || status=1
exit $status
