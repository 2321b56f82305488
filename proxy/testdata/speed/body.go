package main

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
)

// Bodies are slices of pools made once, so that serving one costs the origin no work. Each begins
// with a token that holds the number of its request: no two are the same, and the client can tell
// that it got the answer to its own question.

const (
	poolSize = 4 << 20
	pieces   = 64 << 10 // of the big body
)

// token is what the body of a request begins with.
func token(number uint64) string { return fmt.Sprintf("<!--%016x-->\n", number) }

// scatter spreads the bits of a number, so that what is chosen by it looks random and is the same
// each time.
func scatter(n uint64) uint64 {
	n = (n + 0x9e3779b97f4a7c15) * 0xbf58476d1ce4e5b9
	n = (n ^ n>>29) * 0x94d049bb133111eb
	return n ^ n>>32
}

// kindOf deals out what the web sends: 30 % HTML, 10 % JSON, 10 % script, and 50 % that does not
// shrink.
func kindOf(number uint64) string {
	switch n := scatter(number) % 10; {
	case n < 3:
		return "text/html; charset=utf-8"
	case n < 4:
		return "application/json"
	case n < 5:
		return "text/javascript"
	default:
		return picture
	}
}

const picture = "image/jpeg"

// body returns size bytes of a kind, in two parts.
func body(kind string, size int, number uint64) (first string, rest []byte) {
	first = token(number)
	if size <= len(first) {
		return first[:size], nil
	}
	size -= len(first)
	pool := pools()[kind]
	from := int(scatter(^number) % uint64(len(pool)-size))
	return first, pool[from:][:size]
}

var pools = sync.OnceValue(func() map[string][]byte {
	return map[string][]byte{
		"text/html; charset=utf-8": prose(1, 4, htmlTexts),
		"application/json":         prose(2, 2, jsonTexts),
		"text/javascript":          prose(3, 8, scriptTexts),
		picture:                    noise(4),
	}
})

func noise(seed uint64) []byte {
	random := rand.New(rand.NewPCG(seed, 0))
	pool := make([]byte, 0, poolSize)
	for len(pool) < poolSize {
		pool = binary.LittleEndian.AppendUint64(pool, random.Uint64())
	}
	return pool
}

// What texts are made of: N is a number, X a hexadecimal one, I an identifier, W a word, C one of a
// few words, S some words and L more of them.
var (
	htmlTexts = []string{
		"<div class=\"$C-box $C\" data-key=\"$N\"><h2><a href=\"/$W/$W-$N.html\">$S</a></h2>\n",
		"<img src=\"https://img.$C.test/p/$X.jpg\" width=\"$N\" height=\"$N\" alt=\"$S\"></div>\n",
		"  <li class=\"menu $C\"><a class=\"menu-link\" href=\"/$W\">$S</a></li>\n",
		"<p>$L, $L. $L.</p>\n",
		"<p>$L, $L, $L. $L.</p>\n",
	}
	jsonTexts = []string{
		`{"id":$N,"kind":"$C","name":"$W-$W","rank":0.$N,"made":$N,` +
			`"by":{"id":$N,"name":"$W"},"tags":["$W","$W"],"about":"$L","link":"https://api.$C.test/v1/$X"},`,
	}

	scriptTexts = []string{
		"function $I($I,$I){var $I=this.$W.$W($I,$N);return $I?$I.$W:null}",
		"$I.prototype.$W=function(){if(!this.$W||$I.$W.length<$N)throw new Error(\"$S $W\");return " +
			"this.$W($I)};",
		"e.exports={$W:$N,$W:\"$S\",$W:[$N,$N]};",
	}
)

// writer fills in a text, from the words of a made-up language: few are often and most are seldom.
type writer struct {
	*rand.Rand
	often *rand.Zipf
	words []string
}

func newWriter(seed uint64) *writer {
	w := &writer{Rand: rand.New(rand.NewPCG(seed, 0)), words: make([]string, 8000)}
	w.often = rand.NewZipf(w.Rand, 1.07, 4, uint64(len(w.words)-1))
	syllables := strings.Fields(
		"an be cor do er fi gra hu il ja ke lo ment no ous pre qui ra sta tion un ve wi xy yo zen al " +
			"ti de in st ly")
	for i := range w.words {
		for range 1 + w.IntN(4) {
			w.words[i] += syllables[w.IntN(len(syllables))]
		}
	}
	return w
}

func (w *writer) word(kind string) string {
	switch kind {
	case "N":
		return strconv.Itoa(w.IntN(1 << (4 + w.IntN(24))))
	case "X":
		return strconv.FormatUint(w.Uint64(), 16)
	case "I":
		return string([]byte{byte('a' + w.IntN(26)), byte('a' + w.IntN(26))})
	case "C":
		return w.words[w.IntN(40)]
	case "S":
		return strings.Repeat(w.word("W")+" ", w.IntN(2)) + w.word("W") + " " + w.word("W")
	case "L":
		long := w.word("W")
		for range 3 + w.IntN(20) {
			long += " " + w.word("W")
		}
		return long
	default:
		return w.words[w.often.Uint64()]
	}
}

// prose fills a pool with texts, and one time in every repeats some of what is there, as the
// boilerplate of pages does.
func prose(seed uint64, every int, texts []string) []byte {
	w, pool := newWriter(seed), make([]byte, 0, poolSize+1<<16)
	for len(pool) < poolSize {
		if len(pool) > 8192 && w.IntN(every) == 0 {
			from := len(pool) - 8192 + w.IntN(7000)
			pool = append(pool, pool[from:][:100+w.IntN(400)]...)
		}
		pool = append(pool, os.Expand(texts[w.IntN(len(texts))], w.word)...)
	}
	return pool[:poolSize]
}
