package canon

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"
)

// appendQuery appends "?" and the query in its canonical form: unescaped before it is parted into
// arguments, without session identifiers, in lower case, its arguments sorted. It appends nothing
// if nothing is left of the query. scratch is overwritten.
func appendQuery(dst, scratch []byte, query string) []byte {
	if query == "" {
		return dst
	}
	base := len(dst)
	dst = append(dst, '?')
	dst = appendEscaped(dst, unescape(scratch, query))
	kept := stripSessions(dst[base+1:])
	if len(kept) == 0 {
		return dst[:base]
	}
	sortArguments(kept, scratch)
	return dst[:base+1+len(kept)]
}

// sortArguments sorts the arguments of query in place, bytewise: by name, then those without "=",
// then by value. That is the order of their bytes once the first "=" of each is written as NUL,
// which sorts before every byte that an escaped query can hold. scratch is overwritten.
func sortArguments(query, scratch []byte) {
	if bytes.IndexByte(query, '&') < 0 {
		return
	}
	var argRoom [32]span
	args := argRoom[:0]
	if count := bytes.Count(query, []byte("&")) + 1; count > len(argRoom) {
		args = make([]span, 0, count)
	}
	args = markArguments(args, query)
	compare := func(a, b span) int {
		if a.first != b.first {
			return cmp.Compare(a.first, b.first)
		}
		return bytes.Compare(query[a.start:a.end], query[b.start:b.end])
	}
	if !slices.IsSortedFunc(args, compare) {
		slices.SortFunc(args, compare)
		copy(query, join(scratch, query, args))
	}
	unmark(query)
}

// A span says where an argument lies in the query, and holds its first bytes, which decide most
// comparisons. Slices of the query would push it to the heap.
type span struct {
	start, end uint32
	first      uint64
}

// markArguments appends where the arguments of query are and writes NUL for the
// first "=" of each.
func markArguments(args []span, query []byte) []span {
	for start := 0; ; {
		arg, _, more := bytes.Cut(query[start:], []byte("&"))
		if eq := bytes.IndexByte(arg, '='); eq >= 0 {
			arg[eq] = 0
		}
		var first [8]byte
		copy(first[:], arg)
		args = append(args,
			span{uint32(start), uint32(start + len(arg)), binary.BigEndian.Uint64(first[:])})
		if !more {
			return args
		}
		start += len(arg) + 1
	}
}

// join replaces buf's content by the arguments in their order, with "&" between them.
func join(buf, query []byte, args []span) []byte {
	buf = buf[:0]
	for i, arg := range args {
		if i > 0 {
			buf = append(buf, '&')
		}
		buf = append(buf, query[arg.start:arg.end]...)
	}
	return buf
}

// unmark writes "=" where sortArguments put NUL.
func unmark(query []byte) {
	for i, c := range query {
		if c == 0 {
			query[i] = '='
		}
	}
}
