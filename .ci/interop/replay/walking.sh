# shellcheck shell=bash
# walk SITE PROXY FOLDER: with a profile that nobody has used; FOLDER gets what is seen.
walk() {
  rm -rf "$work/profile"
  node "$here/replay/walk.mjs" "$1" "$2" "$work/profile" "$3" 2>"$T/walk.log" && return
  not_ok "$1: the walk over it, as $(basename "$3"): $(head -n 12 "$T/walk.log" | tr '\n' ' ')"
  return 1
}
