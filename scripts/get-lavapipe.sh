#!/usr/bin/env bash
# Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# get-lavapipe.sh [--validation] [--force] [PREFIX]
#
# Puts a Vulkan device that needs no GPU into PREFIX (default .deps/lavapipe):
# Mesa's lavapipe of version 26 or later, the Vulkan loader and headers, and the
# SPIR-V tools. Where this system has all of these, PREFIX only points at them.
# Otherwise they are unpacked from a newer Debian suite, with every library they
# load (their C library too), without root and without touching the system.
#
#   PREFIX/vkrun PROGRAM ARGUMENTS...   runs a program of this machine on it
#   PREFIX/vkrun spirv-val FILE         runs a SPIR-V tool
#   PREFIX/root/usr/include             the Vulkan headers
#   PREFIX/VERSION                      what was taken
#
# --validation adds Khronos' validation layers: HELIOS_VALIDATION=1 vkrun ...
# prints what a program does wrong, missing barriers among it.
# HELIOS_DEBIAN_MIRROR, HELIOS_DEBIAN_SUITES override where packages come from.

set -Eeuo pipefail
HERE=$(cd "$(dirname "$0")" && pwd)
FORMAT=3          # of PREFIX; raised when its content changes
MESA_MINIMUM=26   # first with cooperative matrices that Helios uses
SUITES=${HELIOS_DEBIAN_SUITES:-forky testing sid}
KEYRING=/usr/share/keyrings/debian-archive-keyring.gpg

fail() {
  trap - ERR
  printf 'get-lavapipe.sh: %s\n' "$@" >&2
  exit 1
}
trap 'fail "failed at line $LINENO: $BASH_COMMAND"' ERR

validation=no force=no prefix=
for arg in "$@"; do
  case $arg in
    --validation) validation=yes ;;
    --force) force=yes ;;
    -h | --help) sed -n '5,20s/^# \{0,1\}//p' "$0"; exit 0 ;;
    -*) fail "unknown option $arg (see --help)" ;;
    *) prefix=$arg ;;
  esac
done
prefix=$(realpath -m "${prefix:-$HERE/../.deps/lavapipe}")
stamp="format $FORMAT, validation $validation"

# The prefix is whole when its last-written file says so and its tools start.
accept=(-e "$stamp")
[ $validation = yes ] || accept+=(-e "format $FORMAT, validation yes")
if [ $force = no ] && grep -qsxF "${accept[@]}" "$prefix/VERSION" && "$prefix/vkrun" spirv-val --version >/dev/null 2>&1; then
  sed 1d "$prefix/VERSION"
  exit 0
fi

# Built aside and moved into place at the end: an interrupted run leaves nothing half done.
new=$prefix.new
rm -rf "$new"
mkdir -p "$new"
new=$(realpath "$new")
cleanup() { rm -rf "$new"; }
trap cleanup EXIT

#--- Where Debian packages come from ------------------------------------------

# Prints the URIs under which this machine's own apt sources offer Debian's main
# archive, from both formats that apt reads.
debian_mirrors() {
  if [ -n "${HELIOS_DEBIAN_MIRROR:-}" ]; then
    echo "$HELIOS_DEBIAN_MIRROR"
    return
  fi
  local names='oldstable|stable|testing|unstable|sid|bookworm|trixie|forky|duke'
  {
    # deb822: paragraphs of "Field: values", continued by indented lines.
    { cat /etc/apt/sources.list.d/*.sources 2>/dev/null || true; } | awk -v names="^($names)\$" '
      function flush(  i, j, u, s) {
        if (types ~ /(^| )deb( |$)/ && comps ~ /(^| )main( |$)/ && enabled !~ /no|false/)
          for (i = split(suites, s, " "); i > 0; i--)
            if (s[i] ~ names)
              for (j = 1; j <= split(uris, u, " "); j++) print u[j]
        types = uris = suites = comps = enabled = field = ""
      }
      /^#/ { next }
      /^[ \t]*$/ { flush(); next }
      /^[^ \t]/ { field = tolower($1); sub(/:.*/, "", field); sub(/^[^:]*:/, "") }
      field == "types" { types = types " " $0 }
      field == "uris" { uris = uris " " $0 }
      field == "suites" { suites = suites " " $0 }
      field == "components" { comps = comps " " $0 }
      field == "enabled" { enabled = enabled tolower($0) }
      END { flush() }'
    # One line: deb [options] URI suite components...
    { cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null || true; } |
      sed -E 's/#.*//; s/^[ \t]*deb[ \t]+(\[[^]]*\])?[ \t]*/deb /' |
      awk -v names="^($names)\$" '$1 == "deb" && $3 ~ names && / main( |$)/ { print $2 }'
  } | sed 's#/*$##' | awk '!seen[$0]++'
}

# apt with a package database of its own; the machine's proxies, timeouts and
# credentials stay in force, its hooks and preferences do not.
make_apt() { # MIRROR SUITE
  local etc=$new/apt
  rm -rf "$etc"
  mkdir -p "$etc/lists/partial" "$etc/cache/archives/partial" "$etc/none"
  : >"$etc/status"
  echo "deb [arch=$arch signed-by=$KEYRING check-valid-until=no] $1 $2 main" >"$etc/sources.list"
  {
    apt-config dump | grep '^Acquire::' | grep -vE '^Acquire::(Languages|Check-Valid-Until)' || true
    cat <<C
Dir::State "$etc";
Dir::State::lists "$etc/lists";
Dir::State::status "$etc/status";
Dir::Cache "$etc/cache";
Dir::Etc::main "$etc/none/main";
Dir::Etc::parts "$etc/none";
Dir::Etc::sourcelist "$etc/sources.list";
Dir::Etc::sourceparts "$etc/none";
Dir::Etc::preferences "$etc/none/preferences";
Dir::Etc::preferencesparts "$etc/none";
APT::Architecture "$arch";
APT::Architectures { "$arch"; };
APT::Install-Recommends "false";
APT::Sandbox::User "root";
Acquire::Languages "none";
Acquire::Retries "3";
Debug::NoLocking "true";
C
  } >"$etc/apt.conf"
}
own_apt() { APT_CONFIG=$new/apt/apt.conf apt-get -qq "$@" </dev/null; }

#--- The two ways to fill a prefix --------------------------------------------

# This system's own Mesa, when it is new enough and nothing is missing beside it.
system_has_it() {
  local version
  version=$(dpkg-query -W -f '${Version}' mesa-vulkan-drivers 2>/dev/null) || return 1
  version=${version#*:}
  [ "${version%%.*}" -ge $MESA_MINIMUM ] 2>/dev/null &&
    system_icd=$(find /usr/share/vulkan/icd.d -name 'lvp_icd*.json' 2>/dev/null | head -n 1) && [ -n "$system_icd" ] &&
    [ -e /usr/include/vulkan/vulkan.h ] && command -v spirv-val spirv-dis >/dev/null &&
    ldconfig -p | grep -q 'libvulkan\.so\.1' &&
    { [ $validation = no ] || [ -e /usr/share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json ]; } || return 1
  taken="this system's mesa-vulkan-drivers $version"
}

use_system() {
  mkdir -p "$new/root"
  ln -s /usr "$new/root/usr"
  ln -s "$system_icd" "$new/lvp_icd.json"
  loader=
}

# One attempt at one suite of one mirror; leaves the unpacked tree in $new/root.
unpack_suite() { # MIRROR SUITE
  local deb name packages want="mesa-vulkan-drivers libvulkan1 libstdc++6"
  local tools="libvulkan-dev spirv-tools"
  [ $validation = no ] || tools="$tools vulkan-validationlayers"
  make_apt "$1" "$2"
  own_apt update || return 1
  # What apt would install on an empty machine; only libraries and the driver matter here.
  # shellcheck disable=SC2086
  packages=$(own_apt -s install $want | awk '/^Inst (lib|mesa-vulkan-drivers)/ { print $2 }') || return 1
  case $packages in *mesa-vulkan-drivers*) ;; *) return 1 ;; esac
  # shellcheck disable=SC2086
  (cd "$new/apt/cache/archives" && own_apt download $packages $tools) || return 1
  rm -rf "$new/root"
  mkdir -p "$new/root"
  taken=
  for deb in "$new"/apt/cache/archives/*.deb; do
    dpkg-deb --fsys-tarfile "$deb" | tar -C "$new/root" -x --wildcards --no-anchored \
      'usr/lib/*/*.so*' 'usr/lib*/ld-linux*' 'lib*/ld-linux*' 'usr/include/vulkan/*' 'usr/include/vk_video/*' \
      'usr/bin/spirv-as' 'usr/bin/spirv-dis' 'usr/bin/spirv-opt' 'usr/bin/spirv-val' \
      '*_layer.d/*validation*' 2>/dev/null || true # not every package holds each pattern
    name=$(dpkg-deb -f "$deb" Package)
    case $name in
      mesa-vulkan-drivers | libvulkan1 | libvulkan-dev | spirv-tools | libc6 | vulkan-validationlayers)
        taken="$taken, $name $(dpkg-deb -f "$deb" Version)" ;;
    esac
  done
  taken="${taken#, } (Debian $2)"
}

# Keeps only the libraries that something wanted really loads.
prune() {
  local file keep=$new/apt/keep wanted
  wanted=("$libdir/libvulkan_lvp.so" "$libdir/libvulkan.so.1" "$libdir/libstdc++.so.6" "$new"/root/usr/bin/spirv-*)
  [ $validation = no ] || wanted+=("$libdir/libVkLayer_khronos_validation.so")
  # glibc's own parts stay whole: a host program may ask for any of them.
  printf '%s\n' "${wanted[@]}" "$new/$loader" "$libdir"/lib{c,m,dl,rt,pthread,util,resolv,anl}.so.* "$libdir"/libnss_*.so.* >"$keep.in"
  for file in "${wanted[@]}"; do
    "$new/$loader" --inhibit-cache --library-path "$libdir" --list "$file" >"$new/apt/list" 2>&1 ||
      fail "$(basename "$file") does not load: $(head -n 1 "$new/apt/list")" "  from $taken"
    awk '$2 == "=>" && $3 ~ /^\// { print $3 }' "$new/apt/list" >>"$keep.in"
  done
  xargs -d '\n' realpath -m <"$keep.in" | sort -u >"$keep"
  # A link stays where what it points at stays.
  find "$new/root" -path '*lib*' \( -type f -o -type l \) \( -name '*.so' -o -name '*.so.*' \) -print |
    while read -r file; do
      grep -qxF "$(realpath -m "$file")" "$keep" || rm -f "$file"
    done
}

carry_newer() {
  local mirror suite done=no tried=
  for tool in apt-get apt-config dpkg-deb; do
    command -v $tool >/dev/null || fail "$tool is missing: this needs Debian or a relative of it" "  elsewhere, install Mesa $MESA_MINIMUM or later with lavapipe, the Vulkan headers and spirv-tools"
  done
  [ -e $KEYRING ] || fail "$KEYRING is missing, without which packages cannot be trusted" "  install the package debian-archive-keyring"
  arch=$(dpkg --print-architecture)
  for mirror in $(debian_mirrors); do
    for suite in $SUITES; do
      tried="$tried $mirror:$suite"
      if unpack_suite "$mirror" "$suite"; then done=yes && break 2; fi
    done
  done
  [ $done = yes ] || fail "no Mesa $MESA_MINIMUM found; tried:${tried:- nothing, as no Debian mirror is among the apt sources}" \
    "  set HELIOS_DEBIAN_MIRROR to a Debian mirror's URI; if a signature was refused, update debian-archive-keyring"

  local mesa=${taken#*mesa-vulkan-drivers }
  [ "${mesa%%.*}" -ge $MESA_MINIMUM ] || fail "Mesa there is too old, $MESA_MINIMUM wanted: $taken"
  libdir=$(dirname "$(find "$new/root/usr/lib" -name libvulkan_lvp.so)")
  loader=$(cd "$new" && find root -name 'ld-linux*.so.*' -type f | head -n 1)
  [ -n "$loader" ] || fail "no dynamic loader in libc6 of $taken"
  rm -rf "$new"/root/usr/lib/*/{gconv,dri,vdpau,perl*,audit}
  prune
  # A path relative to this file keeps the prefix movable.
  printf '{ "file_format_version": "1.0.1", "ICD": { "api_version": "1.4.0", "library_path": "./%s" } }\n' \
    "${libdir#"$new"/}/libvulkan_lvp.so" >"$new/lvp_icd.json"
}

write_vkrun() {
  cat >"$new/vkrun" <<V
#!/bin/sh
# Runs a program with this folder's Vulkan loader and lavapipe. Written by scripts/get-lavapipe.sh.
here=\$(dirname "\$(readlink -f "\$0")")
loader=$loader
libdir=${libdir:+${libdir#"$new"/}}
V
  cat >>"$new/vkrun" <<'V'
[ $# -gt 0 ] || { echo "usage: vkrun PROGRAM [ARGUMENTS...]" >&2; exit 2; }
# 256-bit vectors give subgroups of 8: with 128 there is no device, with 512 lavapipe crashes.
export LP_NATIVE_VECTOR_WIDTH="${LP_NATIVE_VECTOR_WIDTH:-256}"
export VK_DRIVER_FILES="$here/lvp_icd.json" VK_ICD_FILENAMES="$here/lvp_icd.json"
export VK_LOADER_LAYERS_DISABLE="${VK_LOADER_LAYERS_DISABLE-~implicit~}"
export MESA_SHADER_CACHE_DISABLE="${MESA_SHADER_CACHE_DISABLE:-true}"
if [ -n "${HELIOS_VALIDATION:-}" ]; then
  export VK_LAYER_VALIDATE_SYNC=1 VK_INSTANCE_LAYERS=VK_LAYER_KHRONOS_validation VK_ADD_LAYER_PATH="$here/root/usr/share/vulkan/explicit_layer.d"
fi
program=$1
shift
case $program in
  spirv-*) path=$here/root/usr/bin/$program ;;
  */*) path=$program ;;
  *) path=$(command -v "$program") || path= ;;
esac
[ -x "$path" ] || { echo "vkrun: $program: no such program" >&2; exit 2; }
[ -n "$loader" ] || exec "$path" "$@"
# The driver needs this folder's C library, so the program gets it as well.
exec "$here/$loader" --library-path "$here/$libdir${VKRUN_EXTRA_LIBS:+:$VKRUN_EXTRA_LIBS}" "$path" "$@"
V
  chmod +x "$new/vkrun"
}

taken='' loader='' libdir='' arch='' system_icd=''
if system_has_it; then use_system; else carry_newer; fi
write_vkrun
"$new/vkrun" spirv-val --version >/dev/null || fail "the SPIR-V tools of $taken do not start here"
rm -rf "$new/apt"
printf '%s\n%s\n' "$stamp" "$taken" >"$new/VERSION"
rm -rf "$prefix"
mv "$new" "$prefix"
trap - EXIT
echo "$taken"
