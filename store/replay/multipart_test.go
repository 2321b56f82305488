package replay

import (
	"fmt"
	"strings"
	"testing"
)

// batch is a multipart body without names, as OData and Google's APIs take several requests at
// once; within it is one more, with a boundary of its own.
func batch(boundary, what string) exchange {
	inner := "changeset_" + boundary
	body := "--" + boundary + "\r\nContent-Type: application/http\r\n\r\nGET /" + what + " HTTP/1.1\r\n\r\n" +
		"\r\n--" + boundary + "\r\nContent-Type: multipart/mixed; boundary=" + inner + "\r\n\r\n" +
		"--" + inner + "\r\nContent-Type: application/http\r\n\r\nPUT /" + what + " HTTP/1.1\r\n\r\n{}\r\n" +
		"--" + inner + "--\r\n--" + boundary + "--\r\n"
	return exchange{method: "POST", url: "https://example.com/$batch?$format=json",
		fields: "Content-Type: multipart/mixed; boundary=\"" + boundary + "\"\r\n", body: body}
}

// TestBatch: a multipart body without names, whose boundaries are others each time, is told apart
// from others by the bytes between them.
func TestBatch(t *testing.T) {
	r := archived(t, Config{Explain: true})
	const n = 2 * maxOpened
	for i := range n {
		x := batch(fmt.Sprint("batch_", i), fmt.Sprint("page/", i))
		x.at, x.text = i, fmt.Sprint(i)
		r.add(x)
	}
	r.settle()
	for i := range n {
		answer, text := r.ask(batch(fmt.Sprint("batch_again_", i), fmt.Sprint("page/", i)))
		if text != fmt.Sprint(i) || answer.first("X-Warcorder-Rule") != ruleParts {
			t.Errorf("page %d gets %q: %s", i, text, answer)
		}
	}
	answer, _ := r.ask(batch("batch_x", "page/100"))
	if answer.status() != "404" || answer.first("X-Warcorder-Miss") != whyOtherBody {
		t.Errorf("what was not captured: %s", answer)
	}
}

// TestLargeBatches: of the large bodies that were sent to a URL none is kept to be compared.
func TestLargeBatches(t *testing.T) {
	r := archived(t, Config{})
	for i := range 2 * maxOpened {
		x := batch(fmt.Sprint("batch_", i), strings.Repeat("x", 64<<10)+fmt.Sprint(i))
		x.at, x.text = i, fmt.Sprint(i)
		r.add(x)
	}
	r.settle()
	again := batch("batch_again_", strings.Repeat("x", 64<<10)+"7")
	asked := r.asked(again)
	all, err := r.fitting(asked, r.byParts(asked))
	if err != nil || len(all) != 2*maxOpened {
		t.Fatal(len(all), err)
	}
	for _, c := range all {
		if size := len(c.SpecBody) + len(c.WarcioJSBody) + len(c.RequestBody); size > 8<<10 {
			t.Fatalf("%d bytes are kept of a body", size)
		}
	}
	if _, text := r.ask(again); text != "7" {
		t.Errorf("%q answers", text)
	}
}

// TestLineEnds: bodies that differ in how a line ends are not the same.
func TestLineEnds(t *testing.T) {
	for _, other := range []string{"--b\r\nx\ny\r\n--b--", "--b\r\nx\r\ny\r\n--b--\r\n"} {
		if sameParts([]byte("--b\r\nx\r\ny\r\n--b--"), []byte(other), boundaries{{"b", "b"}}) {
			t.Errorf("%q is the same", other)
		}
	}
}

// TestBatchLinear: bodies full of what looks like boundaries are compared in linear time.
func TestBatchLinear(t *testing.T) {
	for _, piece := range []string{"--b\r\n", "boundary=b\r\n", "Content-Type: multipart/mixed; boundary=b",
		"boundary=", "--", "b", "\n"} {
		body := []byte(strings.Repeat(piece, maxCompared/len(piece)))
		if !sameParts(body, body, boundaries{{"b", "b"}}) {
			t.Errorf("%q is not itself", piece)
		}
	}
}
