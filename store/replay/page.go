package replay

import (
	"html"
	"strconv"
	"strings"
	"time"
)

// missHead is the head of the answer to what is missed; length is that of its page. What is there, and
// cannot be had now, is not said to be missing.
func missHead(length int, why string, explain bool) []byte {
	status := "404 Not Found"
	if why == whyStorage {
		status = "502 Bad Gateway"
	}
	m := newMessage(status)
	if length > 0 {
		m.field("Content-Type", "text/html; charset=utf-8")
		m.field("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
		m.field("X-Content-Type-Options", "nosniff")
	}
	m.length(length)
	m.field("Cache-Control", "no-store")
	if explain {
		m.fields(explainMiss(why))
	}
	return m.end()
}

// missPage is the page that a person gets who asks for what is not in the archive. All that others
// wrote is text in it, and no link: nothing of it can lead anywhere or do anything.
func missPage(miss *Miss, at time.Time) []byte {
	var b strings.Builder
	b.WriteString(`<!doctype html><html lang="en"><meta charset="utf-8">` +
		`<meta name="viewport" content="width=device-width"><title>Not in the archive</title><style>` +
		`body{font:1rem/1.5 system-ui,sans-serif;max-width:44rem;margin:3rem auto;padding:0 1rem}` +
		`code{overflow-wrap:anywhere}dt{font-weight:600}dd{margin:0 0 .7rem}` +
		`:root{color-scheme:light dark}</style><h1>Not in the archive</h1>`)
	b.WriteString("<p>" + advice(miss) + "</p><dl>")
	row(&b, "Asked for", miss.Method+" "+miss.URL)
	row(&b, "Why", miss.Why)
	if at.IsZero() {
		row(&b, "As of", "the latest capture")
	} else {
		row(&b, "As of", at.UTC().Format(time.RFC3339))
	}
	if n := miss.Nearest; n != nil {
		row(&b, "Nearest capture, not taken", n.Method+" "+n.URL)
		row(&b, "Captured", n.Time.UTC().Format(time.RFC3339)+", status "+strconv.Itoa(n.Status))
		row(&b, "Lies in", n.File+" at "+strconv.FormatInt(n.Offset, 10))
	}
	b.WriteString("</dl><p>This page is warcorder's, which replays an archive and asks no origin.</p>")
	return []byte(b.String())
}

func row(b *strings.Builder, name, value string) {
	b.WriteString("<dt>" + name + "</dt><dd><code>" + html.EscapeString(value) + "</code></dd>")
}

// advice is HTML that says what happened, and what to do. A browser of warcorder's own has a fresh
// cache, so that it gets whole answers.
func advice(miss *Miss) string {
	record := "Record it: go there through the recorder, or run <code>warcorder browser " +
		typed(miss.URL) + "</code> with the <code>--dir</code> and " +
		"<code>--collection</code> of this archive. Then load this page again."
	if miss.Method != "GET" {
		record = "Record it: do the same through the recorder. Then do it here again."
	}
	switch miss.Why {
	case whyNotCaptured:
		if miss.Nearest != nil {
			record += " If it differs from the nearest capture by chance alone, a rule can find that " +
				"(<code>replay-rules</code>)."
		}
		return "This was not captured. " + record
	case whyOtherBody:
		return "What was sent to this address when it was captured was something else. " + record
	case whyBeyond:
		return "Something like this was captured so often that not all of it was looked at: it may be " +
			"there. A rule for this site (<code>replay-rules</code>) may look in fewer places."
	case whyPart, whyCut:
		return "The archive does not have all of it. " + record
	case whyNotModified:
		return "The browser that recorded had it in its cache, so the origin did not send it. " + record
	case whyItself:
		return "The origin sent its visitors back to this same address. There is nothing to show."
	case whyRound:
		return "The origin sent its visitors round in a circle. There is nothing to show."
	case whyMissing, whyNoOriginal:
		return "It was captured, in a file that is not there. Put the file back into " +
			"<code>archive/</code> of the collection."
	case whyOutside:
		return "It was found unchanged in another archive, and its body was not stored again. " +
			"<code>warcorder report</code>, with the <code>--dir</code> and <code>--collection</code> of " +
			"this archive, names the archive."
	case whyStorage:
		return "It was captured, and its file is in object storage, which gives nothing now. Try again; " +
			"<code>warcorder verify --remote</code>, with the <code>--dir</code> and " +
			"<code>--collection</code> of this archive, says what is wrong."
	case whyFrames:
		return "What went through a WebSocket is not recorded."
	}
	return "It was captured, and cannot be read. <code>warcorder verify</code>, with the " +
		"<code>--dir</code> and <code>--collection</code> of this archive, says what is wrong."
}

// typed is a URL as a person may type it for a program. A page may have made it, to say something to
// a shell: of one with more than plain characters the address stands elsewhere on the page.
func typed(url string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~:/"
	if strings.Trim(url, plain) != "" {
		return "URL"
	}
	return url
}
