# shellcheck shell=bash
# Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Sourced by the other scripts: where the tree is, numbered steps whose output
# goes to a log, and one clear sentence when something fails.

set -Eeuo pipefail
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
LOGS=$ROOT/.deps/logs
STEP=0                 # number of the step under way
STEPS=${STEPS:-1}      # how many the script announces
STEP_TITLE='starting'
STEP_PID=
SCRIPT=$(basename "$0" .sh)

# die SENTENCE [HINT]: ends the script with what is wrong and how to mend it.
die() {
  trap - ERR
  printf '\n%s.sh: %s\n' "$SCRIPT" "$1" >&2
  [ $# -lt 2 ] || printf '  %s\n' "$2" >&2
  exit "${EXIT_CODE:-1}"
}

# Whatever fails unforeseen still names its place.
trap 'die "failed at line $LINENO of ${BASH_SOURCE[0]#"$ROOT"/} during \"$STEP_TITLE\": $BASH_COMMAND"' ERR

# Ends the command of the step under way, with its children.
stop_step() { [ -z "$STEP_PID" ] || kill -- "-$STEP_PID" 2>/dev/null || true; }
trap stop_step EXIT
trap 'trap - ERR; printf "\n%s.sh: interrupted during \"%s\"\n" "$SCRIPT" "$STEP_TITLE" >&2; exit 130' INT TERM

# last_line FILE: what it says at present, cut to fit beside the seconds.
last_line() { tail -c 2000 "$1" | tr '\r' '\n' | awk '/[^ ]/ { line = $0 } END { print substr(line, 1, 100) }'; }

# step TITLE HINT COMMAND...: runs COMMAND with its output in .deps/logs, tells
# every 20 s how far it is, and prints "[n/of] TITLE: seconds". When COMMAND
# fails: the end of the log, its path, and HINT. Returns COMMAND's status only
# where STEP_MAY_FAIL=1 is set.
step() {
  STEP_TITLE=$1
  local hint=$2 log status=0 start=$SECONDS waited=0
  shift 2
  STEP=$((STEP + 1))
  mkdir -p "$LOGS"
  log=$LOGS/$SCRIPT-$STEP.log
  printf '[%d/%d] %s ...\n' "$STEP" "$STEPS" "$STEP_TITLE"
  set -m # its own process group, so that it can be ended whole
  ("$@") >"$log" 2>&1 </dev/null &
  STEP_PID=$!
  set +m
  while kill -0 "$STEP_PID" 2>/dev/null; do
    sleep 0.2
    waited=$((waited + 1))
    if [ $((waited % 100)) -eq 0 ]; then
      printf '      %4d s  %s\n' $((SECONDS - start)) "$(last_line "$log")"
    fi
  done
  wait "$STEP_PID" || status=$?
  STEP_PID=
  if [ "$status" -ne 0 ] && [ "${STEP_MAY_FAIL:-0}" != 1 ]; then
    printf '%s\n' "---- end of ${log#"$ROOT"/} ----" >&2
    tail -n 25 "$log" >&2
    die "\"$STEP_TITLE\" failed (status $status, log in ${log#"$ROOT"/})" "$hint"
  fi
  printf '[%d/%d] %s: %d s\n' "$STEP" "$STEPS" "$STEP_TITLE" $((SECONDS - start))
  return "$status"
}
