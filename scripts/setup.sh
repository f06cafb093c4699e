#!/usr/bin/env bash
# Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# setup.sh [PRESET]
#
# Makes a machine ready and builds: system packages, a Vulkan device without a
# GPU in .deps/lavapipe, then the CMake preset (default: release, in build/).
# bench.sh and test.sh source this file and call helios_setup; what is there
# already is left alone, so a second run takes seconds.
#
# HELIOS_NO_INSTALL=1   install no system package; say what is missing instead
# HELIOS_JOBS=N         compile N files at once (default: one a core)

# shellcheck source=scripts/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

LAVAPIPE=$ROOT/.deps/lavapipe
SETUP_STEPS=3
PRESET=${PRESET:-release}

# All that building and testing needs on Debian. The -dev packages that MLIR's
# CMake files look for beyond these (libedit, zlib, zstd, curl) are not needed to
# link its shared library, nor for the preset "static".
PACKAGES=(
  clang-22 lld-22 llvm-22-dev libmlir-22-dev mlir-22-tools # compiler, LLVM, MLIR; FileCheck and lit come along
  cmake ninja-build python3
  libgtest-dev
  libmimalloc-dev            # an allocator that compiles faster
  libvulkan1                 # the loader, for machines with a GPU
  debian-archive-keyring     # checks what get-lavapipe.sh fetches
)
# NVIDIA's Vulkan driver opens it where there is no display; without it there is
# no Vulkan device.
[ ! -e /dev/nvidiactl ] || PACKAGES+=(libegl1)

missing_packages() {
  local package
  for package in "${PACKAGES[@]}"; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || echo "$package"
  done
}

# Where there is no dpkg: the programs themselves must be there.
check_programs() {
  local program missing=
  for program in clang-22 clang++-22 ld.lld-22 cmake ninja python3; do
    command -v "$program" >/dev/null || missing="$missing $program"
  done
  [ -z "$missing" ] || die "this is no Debian, and these programs are missing:$missing" \
    "install LLVM, MLIR, clang and lld 22, CMake 3.25 or later, ninja, GoogleTest and python3"
}

# install_packages PACKAGE...: with the lists this machine has; when those are
# absent or too old, after fetching new ones.
install_packages() {
  local apt=(env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3)
  [ "$(id -u)" = 0 ] || apt=(sudo "${apt[@]}")
  echo "installing: $*"
  # A source that does not answer need not be one of those wanted here.
  "${apt[@]}" update || echo "some package sources did not answer; going on"
  if ! apt-cache show "$1" >/dev/null 2>&1; then
    echo "$1 is in none of this machine's package sources"
    return 1
  fi
  "${apt[@]}" install -y --no-install-recommends "$@"
}

ensure_packages() {
  if ! command -v dpkg-query >/dev/null; then
    check_programs
    return
  fi
  local missing
  read -r -a missing <<<"$(missing_packages | tr '\n' ' ')"
  [ ${#missing[@]} -gt 0 ] || return 0
  [ -z "${HELIOS_NO_INSTALL:-}" ] || die "packages are missing and HELIOS_NO_INSTALL is set" "apt-get install ${missing[*]}"
  install_packages "${missing[@]}"
}

# Root or sudo, asked for here, where a password can still be typed.
ensure_root() {
  command -v dpkg-query >/dev/null || return 0
  local missing how=(-v)
  missing=$(missing_packages | tr '\n' ' ')
  if [ -z "$missing" ] || [ "$(id -u)" = 0 ] || [ -n "${HELIOS_NO_INSTALL:-}" ]; then return 0; fi
  if ! [ -t 0 ] || [ -n "${CI:-}" ]; then how=(-n -v); fi
  if ! command -v sudo >/dev/null || ! sudo "${how[@]}"; then
    die "packages are missing, and this user is neither root nor may use sudo" "as root: apt-get install $missing"
  fi
}

build_dir() {
  case $PRESET in
    release) echo "$ROOT/build" ;;
    runtime-only) echo "$ROOT/build-runtime" ;;
    *) echo "$ROOT/build-$PRESET" ;;
  esac
}

# Configured afresh only when the tree or the build folder asks for it: ninja
# runs CMake again by itself when a CMakeLists.txt has changed.
configure_and_build() {
  local build jobs=${HELIOS_JOBS:-$(nproc)}
  build=$(build_dir)
  # The preset without LLVM takes the system's compiler; where there is none, the one installed above.
  command -v "${CC:-cc}" >/dev/null || export CC=clang-22 CXX=clang++-22
  if ! [ -e "$build/build.ninja" ] || [ "$ROOT/CMakePresets.json" -nt "$build/build.ninja" ]; then
    (cd "$ROOT" && cmake --preset "$PRESET" -DHELIOS_VULKAN_LAUNCHER="$LAVAPIPE/vkrun")
  fi
  cmake --build "$build" -j "$jobs"
}

helios_setup() {
  ensure_root
  step 'system packages' \
    'Is the network there? Debian 12 has LLVM 22 in its security suite: bookworm-security must be among the apt sources.' \
    ensure_packages
  step 'Vulkan without a GPU: lavapipe, headers, SPIR-V tools' \
    'HELIOS_DEBIAN_MIRROR=URI names another Debian mirror; scripts/get-lavapipe.sh --help says more.' \
    "$ROOT/scripts/get-lavapipe.sh" --validation "$LAVAPIPE"
  sed -n '2s/^/      /p' "$LAVAPIPE/VERSION"
  local build
  build=$(build_dir)
  step "build of ${build#"$ROOT"/} (preset $PRESET)" \
    "The first error is above or in the log. After changing compilers, remove ${build#"$ROOT"/} and try again." \
    configure_and_build
}

if [ "${BASH_SOURCE[0]}" = "$0" ]; then
  PRESET=${1:-$PRESET}
  STEPS=$SETUP_STEPS
  helios_setup
fi
