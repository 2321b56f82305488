#!/usr/bin/env bash
# Makes the media of the whole captures: an mp4 of MB megabytes with its index in front and one with
# it at the end, a short one, HLS and DASH as files of segments and as parts of one file, a PDF, and
# a script in two versions.
#
#   media.sh FOLDER MB
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=$1
mb=$2
mkdir -p "$folder"/{hls,hls-parts,dash,dash-parts}

convert() { ffmpeg -nostdin -v error -y "$@"; }

# encode SECONDS NOISE RATE NAME: noise makes the picture as large as the rate asks.
encode() {
  convert -f lavfi -i "testsrc2=size=640x360:rate=25:duration=$1,noise=alls=$2:allf=t" \
    -f lavfi -i "sine=frequency=440:duration=$1" -c:a aac -b:a 64k \
    -c:v libx264 -preset ultrafast -pix_fmt yuv420p -b:v "$3" -maxrate "$3" -bufsize "$3" \
    -g 50 -keyint_min 50 -sc_threshold 0 -movflags +faststart "$folder/$4.mp4"
}
encode 10 100 $((mb * 8000000 / 60)) tenth # six times make a minute
convert -stream_loop 5 -i "$folder/tenth.mp4" -c copy -movflags +faststart "$folder/front.mp4"
convert -stream_loop 5 -i "$folder/tenth.mp4" -c copy "$folder/end.mp4"
rm "$folder/tenth.mp4"

encode 24 20 1500k short
pack() { convert -i "$folder/short.mp4" -c copy "${@:2}" "$folder/$1"; }
pack hls/index.m3u8 -hls_time 4 -hls_playlist_type vod
pack hls-parts/index.m3u8 -hls_time 2 -hls_playlist_type vod -hls_segment_type fmp4 \
  -hls_flags single_file
pack dash/index.mpd -seg_duration 4 -f dash
pack dash-parts/index.mpd -seg_duration 2 -single_file 1 -f dash

python3 "$here/paper.py" 12 >"$folder/plain.pdf"
qpdf --linearize "$folder/plain.pdf" "$folder/paper.pdf"
mv "$folder/plain.pdf" "$folder/viewer.pdf"
ln "$folder/paper.pdf" "$folder/cut.pdf"

# A script, and its next version as Compression Dictionary Transport sends it (its section 5: magic,
# SHA-256 of the dictionary, Zstandard).
lines() { seq 1 2000 | sed 's|^|// a line that both versions have, |'; }
{ echo 'window.first = true;' && lines; } >"$folder/one.js"
{ cat "$here/plain.js" && lines; } >"$folder/two.js"
{
  printf '\x5e\x2a\x4d\x18\x20\x00\x00\x00'
  openssl dgst -sha256 -binary "$folder/one.js"
  zstd --quiet --stdout --patch-from "$folder/one.js" "$folder/two.js" 2>/dev/null
} >"$folder/two.js.dcz"
