package recorder

import (
	"fmt"
	"strings"
	"testing"
)

// recordVariety records exchanges of every kind, in files of both lanes, and several of them. It
// returns how many there are with a response.
func recordVariety(t *testing.T, dir string, rounds int) (responses int) {
	t.Helper()
	cfg := allKeys
	cfg.WARCMaxSize = 20_000
	c := open(t, dir, cfg)
	answer := page(200, "text/html; charset=utf-8", "", "answer")
	form := "Content-Type: application/x-www-form-urlencoded\r\n"
	var multipart strings.Builder
	multipart.WriteString("--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nx y\r\n" +
		"--b\r\nContent-Disposition: form-data; name=\"f\"; filename=\"f\"\r\n\r\n" +
		"\x00\xff\r\n--b--\r\n")
	long := strings.Repeat("x", 17<<20)
	requests := []string{
		exampleRequest, "GET / HTTP/1.1\r\n\r\n", "HEAD / HTTP/1.1\r\n\r\n",
		"m\xe9thod / HTTP/1.1\r\n\r\n", "OPTIONS",
		postOf("POST", form, "a=%41;b&c=d+e"),
		postOf("POST", form+"Transfer-Encoding: chunked\r\n",
			"5;x\r\na=b&c\r\n2\r\n=d\r\n0\r\nT: u\r\n\r\n"),
		postOf("POST", "Content-Type: application/json\r\n", `{"a":[1,2.0,{"b":null}],"ü":"é"}`),
		postOf("PUT", "Content-Type: application/json\r\n", `{"a"`),
		postOf("POST", "Content-Type: multipart/form-data; boundary=b\r\n", multipart.String()),
		postOf("PATCH", "", "\x00\x01\x02"),
		postOf("POST", "Content-Type: text/plain\r\n", strings.Repeat("long ", 30_000)),
		postOf("POST", form, "a="+randomText(100<<10)),
		postOf("POST", "Content-Type: video/mp4\r\n", randomBytes(1200<<10)),
	}
	for round := range rounds {
		for i, request := range requests {
			url := fmt.Sprintf("http://example.com/A%%3a%d/%d?b=%d&a=é[]", round, i, i)
			c.commit(url, request, answer)
			c.commit(url, request, page(200+i, "image/png", "", randomBytes(100*i)))
			responses += 2
		}
		c.commit("https://user:pass@example.com:443/a/../b?sessionid=1", exampleRequest,
			page(200, "video/mp4", "", randomBytes(1200<<10)))
		x := c.begin("http://example.com/cut", exampleRequest,
			page(200, "text/plain", "", randomText(2<<20))[:1200<<10])
		x.Truncated = "length"
		x.Commit()
		x = c.begin("http://example.com/head-cut", exampleRequest, "HTTP/1.1 200 OK\r\nContent-Ty")
		x.Truncated, x.Fault = "disconnect", "reset"
		x.Commit()
		x = c.begin("http://example.com/failed", postOf("POST", form, "a=b"), "")
		x.Fault = "connection refused"
		x.Commit()
		x = c.begin("http://example.com/unverified", exampleRequest, answer)
		x.Unverified = "expired"
		x.Commit()
		responses += 4
		responses += c.parts()
	}
	c.commit("http://example.com/long",
		postOf("POST", "Content-Type: application/json\r\n", `{"a":"`+long+`"}`), answer)
	c.close()
	return responses + 1
}

// parts commits parts of one entity and the whole of it, some of them twice and one cut. It returns
// how many responses there are.
func (c *recording) parts() int {
	c.t.Helper()
	const url = "http://example.com/video"
	body := randomBytes(1200 << 10)
	part := func(first, last int) string {
		fields := fmt.Sprintf("ETag: \"v\"\r\nContent-Range: bytes %d-%d/%d\r\n", first, last, len(body))
		return answerOf(206, fields, body[first:last+1])
	}
	answers := []string{
		part(0, 99), part(0, 99), part(0, len(body)-1), part(1, len(body)-1), part(1, len(body)-1),
		answerOf(200, "ETag: W/\"v\"\r\n", body), answerOf(200, "ETag: \"v\"\r\n", body),
		answerOf(304, "ETag: \"v\"\r\n", ""),
	}
	for _, answer := range answers {
		c.commit(url, exampleRequest, answer)
	}
	x := c.begin(url, exampleRequest, part(0, len(body)-1)[:1000])
	x.Truncated = "disconnect"
	x.Commit()
	return len(answers) + 1
}
