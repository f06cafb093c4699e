#!/bin/sh
# Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# endless-compiler.sh INPUT ...: lists schedules as the compiler does; every other compilation interrupts the program that started it and goes on for ever.
case "$*" in *--emit=schedules*) exec helios-compile "$@" ;; esac
echo $$ >> "$HELIOS_TEST_PIDS"
kill -INT $PPID
while :; do sleep 1; done
