# Names that the scripts of this folder share; each of them begins with `. "$(dirname "$0")/common.sh"`.
set -eu
cd "$(dirname "$0")/../.."

fail() {
  echo "$(basename "$0"): $*" >&2
  exit 1
}

version=$(sed -n 's/^project(kirchhoff VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
name=kirchhoff-$version
jobs=${JOBS:-$(nproc)}
dist=$PWD/build/dist      # what is given to users, and nothing else
work=$PWD/build/dist-work # everything on the way there
source=$work/source/$name # the source archive, unpacked: all else is built from it
if [ "${TARGET:-}" = arm64 ]; then # cross-compiled, see scripts/dist/arm64
  machine=aarch64
  multiarch=aarch64-linux-gnu
  build=$work/build-arm64
  sysroot=$work/roots/arm64
else
  machine=$(uname -m)
  multiarch=$(g++ -print-multiarch 2>/dev/null || echo "$machine-linux-gnu")
  build=$work/build
  sysroot=""
fi
stage=$build/stage # what the library and the program install, under /usr
system=$sysroot/usr/lib/$multiarch
# The libraries that go into self-contained packages. Debian lets the administrator choose among implementations of
# LAPACK, so that those on the usual path may be large and tuned for a machine; these folders have the reference.
libraries=$stage/usr/lib/$multiarch:$system/lapack:$system/blas:$system:$sysroot/lib/$multiarch
mkdir -p "$dist" "$work"
