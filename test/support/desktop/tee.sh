#!/bin/bash
# Becomes the program named by XCD_PROGRAM and keeps what it prints in files: who drives it attaches too late to hear the beginning.
exec "$XCD_PROGRAM" "$@" > >(exec tee "$XCD_STDOUT") 2> >(exec tee "$XCD_STDERR" >&2)
