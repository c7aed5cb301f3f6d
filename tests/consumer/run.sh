#!/bin/sh
# Installs a build into a new prefix, moves it, and builds a stranger's program against it by CMake and by pkg-config.
# Usage: run.sh BUILD_DIRECTORY CXX [FLAGS...], where FLAGS are the sanitizers that the library was built with.
set -eu
build=$1 cxx=$2
shift 2
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$build" --prefix "$work/first" >"$work/log" || { cat "$work/log"; exit 1; }
prefix=$work/moved # nothing installed may remember where it was
mv "$work/first" "$prefix"

echo "find_package:"
cmake -S "$here" -B "$work/build" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_PREFIX_PATH="$prefix" \
  -DCMAKE_CXX_COMPILER="$cxx" -DCMAKE_CXX_FLAGS="$*" >"$work/log" && cmake --build "$work/build" >>"$work/log" ||
  { cat "$work/log"; exit 1; }
"$work/build/consumer"

pc=$(find "$prefix" -name kirchhoff.pc)
export PKG_CONFIG_PATH="${pc%/*}"
export LD_LIBRARY_PATH="${pc%/*}/.."
# Once more for this processor: other vector registers, other alignment (see cmake/KirchhoffLibrary.cmake).
for flags in "" "-march=native"; do
  echo "pkg-config $flags:"
  "$cxx" -std=c++20 -O1 "$@" $flags $(pkg-config --cflags kirchhoff) "$here/main.cpp" -o "$work/consumer" \
    $(pkg-config --libs kirchhoff)
  "$work/consumer"
done

# The installed program finds its library by itself.
unset LD_LIBRARY_PATH
if [ -x "$prefix/bin/kirchhoff" ]; then "$prefix/bin/kirchhoff" --version; fi

# Man pages and completions come with it.
if [ -x "$prefix/bin/kirchhoff" ]; then
  for file in man/man1/kirchhoff.1 man/man1/kirchhoff-tree.1 bash-completion/completions/kirchhoff \
    zsh/site-functions/_kirchhoff fish/vendor_completions.d/kirchhoff.fish; do
    [ -s "$prefix/share/$file" ] || { echo "share/$file is missing"; exit 1; }
  done
fi
