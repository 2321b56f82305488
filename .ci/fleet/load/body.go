package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
)

// words are what half of all bodies are made of, so that they shrink as pages do.
var words = strings.Fields(`archive body capture client crawl digest exchange file gap header index
	 origin page payload proxy record request response revisit server storage time token whole`)

// parseBody is the inverse of String.
func parseBody(name string) (b body, err error) {
	_, err = fmt.Sscanf(name, "%16x-%d", &b.id, &b.size)
	if err == nil && (b.size < 0 || b.size > 1<<30) {
		err = fmt.Errorf("a body of %d bytes", b.size)
	}
	return b, err
}

// mediaType is of a text for even names, which are words, and of none for odd ones.
func (b body) mediaType() string {
	if b.id%2 == 0 {
		return "text/plain"
	}
	return "application/octet-stream"
}

// writeTo writes the body's bytes, piece by piece.
func (b body) writeTo(w io.Writer) error {
	dice := rand.New(rand.NewPCG(b.id, 2))
	piece := make([]byte, 0, 32<<10)
	for left := b.size; left > 0; left -= len(piece) {
		piece = b.fill(piece[:0], dice, min(left, cap(piece)))
		if _, err := w.Write(piece); err != nil {
			return err
		}
	}
	return nil
}

func (b body) fill(piece []byte, dice *rand.Rand, size int) []byte {
	for len(piece) < size {
		number := dice.Uint64()
		if b.id%2 == 0 {
			for ; number > 31; number /= 97 {
				piece = append(append(piece, words[number%uint64(len(words))]...), ' ')
			}
			continue
		}
		for range 8 {
			piece = append(piece, byte(number))
			number >>= 8
		}
	}
	return piece[:size]
}
