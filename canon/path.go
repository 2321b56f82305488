package canon

import "bytes"

// appendPath appends an unescaped path in its canonical form: escaped, in lower
// case, without an ASP.NET session and without one trailing slash.
func appendPath(dst, path []byte) []byte {
	base := len(dst)
	dst = appendEscaped(dst, path)
	kept := stripASPNET(dst[base:])
	if len(kept) > 1 && kept[len(kept)-1] == '/' {
		kept = kept[:len(kept)-1]
	}
	return dst[:base+len(kept)]
}

// resolveDots removes "." and ".." segments and then empty ones, in place; an empty path becomes
// "/". As in pywb a ".." removes an empty segment too (/a//../b becomes /a/b), and a ".." with
// nothing above it stays until the next one removes it (/../a stays, /../../a becomes /a).
func resolveDots(path []byte) []byte {
	if len(path) > 0 && !bytes.Contains(path, []byte("//")) && !bytes.Contains(path, []byte("/.")) {
		return path
	}
	out := path[:0] // stays behind the segment that is being read
	for rest, more := bytes.TrimPrefix(path, []byte("/")), true; more; {
		var segment []byte
		segment, rest, more = bytes.Cut(rest, []byte("/"))
		switch {
		case string(segment) == ".":
		case string(segment) == ".." && len(out) > 0:
			out = out[:bytes.LastIndexByte(out, '/')]
		default:
			out = append(append(out, '/'), segment...)
		}
	}
	if len(out) == 0 {
		return append(out, '/')
	}
	return singleSlashes(out)
}

// singleSlashes writes each run of slashes as one, in place.
func singleSlashes(path []byte) []byte {
	out := path[:0]
	for _, c := range path {
		if c != '/' || len(out) == 0 || out[len(out)-1] != '/' {
			out = append(out, c)
		}
	}
	return out
}
