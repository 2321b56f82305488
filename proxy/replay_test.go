package proxy

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"
)

// TestReplay: a Source answers in the origins' place, on a plain connection and in tunnels, to the
// byte.
func TestReplay(t *testing.T) {
	answer := text("HTTP/1.1 200 OK", "Content-Length: 5", "x-Odd:  kept ",
		"content-TYPE: Text/HTML; charset=x") + "hello"
	h := newReplayHouse(t, replaying(shelf{
		"http://a.test/x?y=1": answer, "https://a.test/x": answer, "http://a.test:8080/": answer}))
	plain := h.dial()
	for _, target := range []string{"http://a.test/x?y=1", "http://A.test:8080"} {
		plain.send(text("GET "+target+" HTTP/1.1", "Host: a.test"))
		if got := plain.readN(len(answer)); got != answer {
			t.Errorf("%s: %q", target, got)
		}
	}
	secure := h.tunnel("a.test:443", true)
	for range 3 {
		secure.send(text("GET /x HTTP/1.1", "Host: a.test"))
		if got := secure.readN(len(answer)); got != answer {
			t.Errorf("in a tunnel: %q", got)
		}
	}
	const told = `{"level":"info","url":"https://a.test/x","status":200,"type":"text/html","length":`
	until(t, "each answer is told", func() bool {
		log := h.log.String()
		return strings.Count(log, told) == 3 && strings.Count(log, "\n") == 5
	})
	secure.send(text("GET /none HTTP/1.1", "Host: a.test"))
	if got := secure.readHead(); !strings.HasPrefix(got, "HTTP/1.1 502 ") {
		t.Errorf("what there is none of: %q", got)
	}
}

// TestReplayedBehaviours: what an origin sends is shown as the origin showed it, with the same end.
func TestReplayedBehaviours(t *testing.T) {
	for _, b := range behaviours() {
		if strings.HasPrefix(b.sends, "HTTP/1.1 1") {
			continue // no interim response is in any archive
		}
		onBothSchemes(t, func(t *testing.T, secure bool) {
			t.Run(b.name, func(t *testing.T) { checkReplayed(t, &b, secure) })
		})
	}
}

func checkReplayed(t *testing.T, b *behaviour, secure bool) {
	answers := b.responses
	if len(answers) < len(b.requests) || b.truncated != "" {
		answers = []string{b.sends}
	}
	var asked []string
	source := func(_ context.Context, method, url string, head []byte, body io.Reader) (
		[]byte, io.ReadCloser, error) {
		asked = append(asked, method+" "+url+"\n"+string(head))
		answer, rest := split(answers[len(asked)-1])
		if body == nil {
			return answer, rest, nil
		}
		_, err := io.Copy(io.Discard, body)
		return answer, rest, err
	}
	h := newReplayHouse(t, replaying(sourceFunc(source)))
	client, prefix := h.toHost("a.test", secure)
	client.ask(strings.ReplaceAll(strings.Join(b.requests, ""), "TARGET", prefix), false)
	want := b.client
	if want == "" {
		want = b.sends
	}
	if b.ends {
		client.readAll()
	} else {
		client.readUntil(len(want))
	}
	h.stop(20 * time.Second)
	got := client.seen.String()
	if strings.HasPrefix(b.client, "HTTP/1.1 502") {
		got = got[:min(len(got), len(want))]
	}
	if got != want {
		t.Errorf("the client got\n%.300q\nwant\n%.300q", got, want)
	}
	for i, request := range b.requests {
		line, rest, _ := strings.Cut(strings.ReplaceAll(request, "TARGET", prefix), "\n")
		method, target, _ := strings.Cut(strings.TrimSuffix(line, "\r"), " ")
		url := strings.TrimSuffix(strings.TrimSuffix(target, " HTTP/1.1"), " HTTP/1.0")
		if secure {
			url = "https://a.test" + url
		}
		head, _ := split(line + "\n" + rest)
		if want := method + " " + url + "\n" + string(head); asked[i] != want {
			t.Errorf("the Source was asked\n%.300q\nwant\n%.300q", asked[i], want)
		}
	}
}
