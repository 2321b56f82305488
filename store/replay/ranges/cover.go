package ranges

import (
	"cmp"
	"slices"
)

// Piece is a span, and which of the parts has it.
type Piece struct {
	Span
	Part int // its place among the parts
}

// Cover picks the parts that together have a span, from its first byte on without a hole and as far
// as they reach; none if no part has the first byte. Parts come nearest first: the nearest part that
// has all of the span is the one piece. If none has, there are as few pieces as can be, since each
// is a record to open; of two parts that reach as far, the nearer one is taken.
func Cover(span Span, parts []Span) []Piece {
	for i, part := range parts {
		if part.Has(span) {
			return []Piece{{span, i}}
		}
	}
	order := byFirst(parts)
	var pieces []Piece
	reach := -1 // the part that reaches farthest, of those that begin before at
	for at, next := span.First, 0; at <= span.Last; {
		for ; next < len(order) && parts[order[next]].First <= at; next++ {
			if i := order[next]; reach < 0 || isFarther(parts, i, reach) {
				reach = i
			}
		}
		if reach < 0 || parts[reach].Last < at {
			break
		}
		last := min(parts[reach].Last, span.Last)
		pieces = append(pieces, Piece{Span{at, last}, reach})
		at = last + 1
	}
	return pieces
}

func isFarther(parts []Span, i, than int) bool {
	return parts[i].Last > parts[than].Last || parts[i].Last == parts[than].Last && i < than
}

// byFirst returns the places of the parts, ordered by their first bytes.
func byFirst(parts []Span) []int {
	order := make([]int, len(parts))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(parts[a].First, parts[b].First) })
	return order
}
