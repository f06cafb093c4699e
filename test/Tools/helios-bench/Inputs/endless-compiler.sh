#!/bin/sh
# Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# endless-compiler.sh INPUT ... -o OUTPUT: interrupts the program that started it and goes on for ever.
input=$1
while [ "$1" != -o ]; do shift; done
[ -f "$input" ] && echo part > "$2"
echo $$ > "$HELIOS_TEST_PID"
[ -z "$HELIOS_TEST_DEAF" ] || trap '' TERM INT
kill -INT $PPID
while :; do sleep 1; done
