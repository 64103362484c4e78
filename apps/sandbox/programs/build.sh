#!/bin/sh
# Builds the programs' .so files from their C sources and records their checksums; see README.md for the tools.
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for name in aggregator cpmm order-engine; do
  clang -target bpf -mcpu=v2 -O2 -ffreestanding -fno-builtin -Wall -Wextra -S "$name.c" -o "$work/$name.ll.s"
  # The assembler knows LLVM's instructions, but of its directives only .globl.
  sed -E -e 's/#.*//' -e '/^[[:space:]]*\.(text|file|section|p2align|type|size|addrsig|ident)/d' -e '/^\.Lfunc/d' \
    "$work/$name.ll.s" > "$work/$name.s"
  sbpf build -a v0 -i "$work/$name.s" -d "$work"
  cp "$work/$name.so" "$name.so"
done
sha256sum aggregator.c cpmm.c order-engine.c sandbox-program.h aggregator.so cpmm.so order-engine.so agave/*.so > programs.sha256
