package proxy

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// versioned is an origin that has one version of each page, with a tag and a date, and confirms it.
func versioned(t *testing.T, secure bool) *originServer {
	const modified = "Mon, 14 Nov 1994 08:12:31 GMT"
	return newOrigin(t, secure, func(o *peer) {
		for {
			head := o.readHead()
			switch {
			case head == "":
				return
			case strings.Contains(head, "Match: \"1\"") || strings.Contains(head, "Since: "+modified):
				o.send(text("HTTP/1.1 304 Not Modified", "ETag: \"1\""))
			case strings.HasPrefix(head, "HEAD"):
				o.send(text("HTTP/1.1 200 OK", "ETag: \"1\"", "Content-Length: 2"))
			default:
				o.send(text("HTTP/1.1 200 OK", "ETag: \"1\"", "Last-Modified: "+modified, "Content-Length: 2") +
					"ok")
			}
		}
	})
}

// TestAnticache: which conditions reach an origin, of requests one behind another, on one
// connection; all else of them stays byte for byte.
func TestAnticache(t *testing.T) {
	const tag, other = "If-None-Match: \"1\"\r\n", "if-none-match:\"2\"\r\n"
	const date = "If-Modified-Since: Mon, 14 Nov 1994 08:12:31 GMT\r\n"
	type step struct {
		ask, fields, gets string // method and path, fields of the client, those that the origin gets
	}
	missing := []step{
		{"GET /a", "A: b\r\n" + tag + "If-Range: \"1\"\r\n", "A: b\r\nIf-Range: \"1\"\r\n"},
		{"GET /a", "A: b\r\n" + tag, "A: b\r\n" + tag},
		{"HEAD /a", tag, tag},
		{"GET /a", other, ""},
		{"GET /a", "If-None-Match: \"1\", \"2\"\r\n", ""},
		{"GET /a", "If-None-Match: *\r\n", ""},
		{"GET /a", date, date},
		{"GET /a", other + date, ""},
		{"GET /a", tag + "If-Modified-Since: Tue, 15 Nov 1994 08:12:31 GMT\r\n",
			tag + "If-Modified-Since: Tue, 15 Nov 1994 08:12:31 GMT\r\n"},
		{"HEAD /b", date + tag, ""},
		{"GET /b", date + tag, ""}, // of a HEAD there is nothing
		{"GET /b", date + tag, date + tag},
		{"DELETE /c", "If-None-Match: *\r\n" + date, "If-None-Match: *\r\n" + date},
		{"get /c", tag, tag},
		{"GET /c", "If-Match: \"2\"\r\nIf-Unmodified-Since: x\r\n",
			"If-Match: \"2\"\r\nIf-Unmodified-Since: x\r\n"},
	}
	always, never, everything := config(), config(), config()
	always.Anticache, never.Anticache, everything.NoRecord.All = "always", "never", true
	onBothSchemes(t, func(t *testing.T, secure bool) {
		for _, c := range []struct {
			name  string
			cfg   Config
			steps []step
		}{
			{"missing", config(), missing},
			{"always", always, []step{{"GET /a", date + tag, ""}, {"GET /a", tag, ""}, {"HEAD /a", date, ""},
				{"PUT /a", "Content-Length: 0\r\n" + tag, "Content-Length: 0\r\n" + tag}}},
			{"never", never, []step{{"GET /a", tag, tag}, {"GET /b", other, other}}},
			{"unrecorded", everything, []step{{"GET /a", tag, tag}, {"GET /b", other, other}}},
		} {
			t.Run(c.name, func(t *testing.T) {
				h, o := newHouse(t, c.cfg), versioned(t, secure)
				client, prefix := h.to(o, secure)
				var want []string
				for _, s := range c.steps {
					method, path, _ := strings.Cut(s.ask, " ")
					head := fmt.Sprintf("%s %%s%s HTTP/1.1\r\nHost: a\r\n%%s\r\n", method, path)
					want = append(want, fmt.Sprintf(head, "", s.gets))
					client.send(fmt.Sprintf(head, prefix, s.fields))
					if answer := client.readHead(); strings.HasPrefix(answer, "HTTP/1.1 200") && method != "HEAD" {
						client.readN(2)
					}
				}
				client.conn.Close()
				all := h.records()
				o.close()
				seen := o.connections()[0].seen.String()
				if seen != strings.Join(want, "") {
					t.Errorf("the origin got\n%q\nwant\n%q", seen, want)
				}
				if c.cfg.NoRecord.All {
					return
				}
				var recorded []string
				for _, r := range of(all, "request") {
					recorded = append(recorded, string(r.block))
				}
				slices.Sort(recorded)
				slices.Sort(want)
				if !slices.Equal(recorded, want) {
					t.Errorf("recorded are\n%q\nwant\n%q", recorded, want)
				}
			})
		}
	})
}

// TestConfirmed: a page that is asked for once more, with a condition, is a revisit of what the
// first request brought; one that comes from another cache is fetched and stored.
func TestConfirmed(t *testing.T) {
	onBothSchemes(t, func(t *testing.T, secure bool) {
		h, o := newHouse(t, config()), versioned(t, secure)
		client, prefix := h.to(o, secure)
		request := text("GET "+prefix+"/a HTTP/1.1", "Host: a", "If-None-Match: \"1\"")
		client.send(request)
		if got := client.readHead(); !strings.HasPrefix(got, "HTTP/1.1 200") {
			t.Fatalf("%q", got)
		}
		client.readN(2)
		until(t, "the page is recorded", func() bool { return h.rec.Status().Exchanges == 1 })
		client.send(request)
		if got := client.readHead(); !strings.HasPrefix(got, "HTTP/1.1 304") {
			t.Fatalf("%q", got)
		}
		client.conn.Close()
		all := h.records()
		stored, revisits := of(all, "response"), of(all, "revisit")
		if len(stored) != 1 || len(revisits) != 1 ||
			revisits[0].header.Get("WARC-Refers-To") != stored[0].header.Get("WARC-Record-ID") {
			t.Errorf("%d responses, revisits %v", len(stored), revisits)
		}
	})
}
