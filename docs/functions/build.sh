#!/usr/bin/env bash
# Builds the objects that published.toml and codecs.toml speak of, from Debian's sources, into the folder named
# (build/functions); with `ffmpeg` behind it, those of codecs.toml alone.
#
#     docs/functions/build.sh build/functions
#     neonlab cores --functions docs/functions/published.toml --files build/functions
#     neonlab cores --functions docs/functions/codecs.toml --files build/functions
#
# Wants deb-src lines for apt, or gmp-6.2.1, openssl-3.0.22 and ffmpeg-7.1 unpacked in the folder already; and
# gcc-aarch64-linux-gnu, gcc-arm-linux-gnueabihf, m4, perl, make, dpkg-dev.  Debian 13 has FFmpeg 7.1; in the 5.1 of
# Debian 12 the filters of 10 bits are missing.  Nothing of it is part of neonlab.
set -euo pipefail
only=${2:-all}
mkdir -p "${1:-build/functions}" && cd "${1:-build/functions}"
a64=aarch64-linux-gnu a32=arm-linux-gnueabihf

# FFmpeg's functions are assembled as they stand, with the config.h that its configure writes.
ffmpeg() { # architecture, compiler's prefix, its flags, files
  local folder=$1 prefix=$2 flags=$3 configured=configured-ffmpeg-$1 file source
  shift 3
  mkdir -p "$configured" "ffmpeg/$folder"
  (cd "$configured" && [ -f config.h ] || ../ffmpeg-7.1/configure --enable-cross-compile --target-os=linux \
    --arch="$folder" --cross-prefix="$prefix-" --extra-cflags="$flags" --extra-ldflags="$flags" \
    --disable-everything --disable-autodetect --disable-doc --disable-programs) >"$configured/log" 2>&1
  for file in "$@"; do
    source=ffmpeg-7.1/$file
    $prefix-gcc $flags -I"$configured" -Iffmpeg-7.1 -I"$(dirname "$source")" -c "$source" \
      -o "ffmpeg/$folder/$(basename "${file%.S}" | sed 's/_neon$//').o"
  done
}
[ -d ffmpeg-7.1 ] || { apt-get source ffmpeg && mv ffmpeg-[0-9]*/ ffmpeg-7.1; }
ffmpeg aarch64 $a64 -march=armv8-a libswscale/aarch64/hscale.S libavcodec/aarch64/h264pred_neon.S \
  libavcodec/aarch64/h264qpel_neon.S libavcodec/aarch64/vp9itxfm_neon.S
ffmpeg arm $a32 "-march=armv7-a -mfpu=neon -marm" libavcodec/arm/vp9itxfm_neon.S
[ "$only" = all ] || exit 0

[ -d gmp-6.2.1 ] || apt-get source --download-only gmp=2:6.2.1+dfsg1-1.1 && [ -d gmp-6.2.1 ] || dpkg-source -x gmp_*.dsc gmp-6.2.1
[ -d openssl-3.0.22 ] || apt-get source openssl && [ -d openssl-3.0.22 ] || mv openssl-3.0.* openssl-3.0.22

# GMP's functions are m4; its configure writes the config.m4 that they include.  One object for each OPERATION of a file.
gmp() { # folder of mpn, configure's host, compiler and flags
  local folder=$1 host=$2 file operation name
  shift 2
  mkdir -p "configured-$folder" "gmp/$folder"
  (cd "configured-$folder" && [ -f config.m4 ] || ../gmp-6.2.1/configure --host="$host" CC="$1" --disable-shared) \
    >"configured-$folder/log" 2>&1 || [ -f "configured-$folder/config.m4" ]
  for file in $(cd "gmp-6.2.1/mpn/$folder" && find . -name '*.asm' -printf '%P\n'); do
    for operation in $(sed -n 's/.*MULFUNC_PROLOGUE(\(.*\)).*/\1/p' "gmp-6.2.1/mpn/$folder/$file" | sed 's/mpn_//g') -; do
      name=$(echo "${file%.asm}" | tr / _)
      if [ "$operation" != - ]; then
        name=$name.$operation
      elif grep -q MULFUNC_PROLOGUE "gmp-6.2.1/mpn/$folder/$file"; then
        continue
      fi
      (cd "configured-$folder/mpn" && m4 -DOPERATION_"$operation" ../../"gmp-6.2.1/mpn/$folder/$file") >"gmp/$folder/$name.s"
      "$@" -c "gmp/$folder/$name.s" -o "gmp/$folder/$name.o" 2>/dev/null || rm -f "gmp/$folder/$name.s" # needs another ABI
    done
  done
}
gmp arm64 aarch64-linux-gnu $a64-gcc
gmp arm armv7a-linux-gnueabihf $a32-gcc -march=armv7ve -mfpu=neon -marm
# A table that only what comes before the loops reads.
echo 'unsigned char __gmp_binvert_limb_table[128];' | $a32-gcc -x c -c - -o gmp/table.o
for name in mode1o v6_mode1o; do
  $a32-gcc -nostdlib -r gmp/arm/$name.o gmp/table.o -o gmp/arm/linked.o && mv gmp/arm/linked.o gmp/arm/$name.o
done

# OpenSSL's are Perl that prints assembly.  A processor without extensions by what OPENSSL_armcap_P says.
mkdir -p openssl && cd openssl
source=../openssl-3.0.22
echo 'unsigned int OPENSSL_armcap_P = 0;' | $a64-gcc -x c -c - -o armcap.o
print() { # script, flavour, output
  perl "$source/crypto/$1.pl" "$2" "$3.S"
  local compiler="$a64-gcc -march=armv8-a+crypto"
  [ "$2" = linux64 ] || compiler="$a32-gcc -march=armv7-a -mfpu=neon -marm"
  $compiler -I"$source/crypto" -I"$source/include" -c "$3.S" -o "$3.o"
  [ "$2" = linux32 ] || ! $a64-nm "$3.o" | grep -q 'U OPENSSL_armcap_P' || {
    $a64-gcc -nostdlib -r "$3.o" armcap.o -o linked.o && mv linked.o "$3.o"
  }
}
print chacha/asm/chacha-armv8 linux64 chacha-armv8
print poly1305/asm/poly1305-armv8 linux64 poly1305-armv8
print sha/asm/sha1-armv8 linux64 sha1-armv8
print sha/asm/sha512-armv8 linux64 sha256-armv8 # which of the two it prints goes by the name of the output
print sha/asm/sha512-armv8 linux64 sha512-armv8
print sha/asm/keccak1600-armv8 linux64 keccak1600-armv8
print aes/asm/vpaes-armv8 linux64 vpaes-armv8
print aes/asm/aesv8-armx linux64 aesv8-armx-64
print modes/asm/ghashv8-armx linux64 ghashv8-armx-64
print aes/asm/aesv8-armx linux32 aesv8-armx-32
print modes/asm/ghashv8-armx linux32 ghashv8-armx-32
print chacha/asm/chacha-armv4 linux32 chacha-armv4
print poly1305/asm/poly1305-armv4 linux32 poly1305-armv4
print sha/asm/sha1-armv4-large linux32 sha1-armv4
print sha/asm/sha512-armv4 linux32 sha512-armv4
print sha/asm/keccak1600-armv4 linux32 keccak1600-armv4
print modes/asm/ghash-armv4 linux32 ghash-armv4
