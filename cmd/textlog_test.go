//go:build unix

package cmd

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/rs/zerolog"
)

// logOne writes the line of one capture as the recorder does, and returns what people read of it.
func logOne(t *testing.T, text *textLog, c captureLine) string {
	t.Helper()
	var out bytes.Buffer
	text.out, text.rest.Out = &out, &out
	log := zerolog.New(text).With().Timestamp().Logger()
	line := log.Info().Str("url", c.URL).Int("status", c.Status).Str("type", c.Type).
		Str("file", c.File).Int64("offset", c.Offset).Int64("length", c.Length).Int64("ms", c.MS)
	if c.Completion != "" {
		line.Str("completion", c.Completion)
	}
	line.Msg("capture")
	return out.String()
}

// TestTextLog: what a person reads of captures.
func TestTextLog(t *testing.T) {
	long := "https://example.org/" + strings.Repeat("a", 100) + "/the-end.html"
	for name, c := range map[string]struct {
		captureLine
		columns int
		want    string
	}{
		"page": {captureLine{URL: "https://example.org/", Type: "text/html", Status: 200, Length: 12345},
			80, "200 html       12 kB https://example.org/"},
		"revisit": {captureLine{URL: "https://example.org/", Type: "warc/revisit", Status: 200, Length: 812},
			80, "200 =revisit   812 B https://example.org/"},
		"completion": {captureLine{URL: "https://example.org/a.mp4", Type: "video/mp4", Status: 200,
			Length: 48e6, Completion: "after a part"},
			80, "200 +mp4       48 MB https://example.org/a.mp4"},
		"no status": {captureLine{URL: "urn:x", Type: "application/pem-certificate-chain", Length: 1},
			80, "  - cert         1 B urn:x"},
		"no type": {captureLine{URL: "http://a/", Status: 304, Length: 1}, 80, "304 -            1 B http://a/"},
		"long":    {captureLine{URL: long, Type: "image/svg+xml", Status: 404, Length: 99}, 80, ""},
		"narrow":  {captureLine{URL: long, Type: "image/vnd.very-long", Status: 404, Length: 99}, 40, ""},
		"hostile": {captureLine{URL: "http://a/\x1b[2J\u202e\u0301\u0301ｗ\n\x00", Type: "te\x07xt/\u202ea\u0301\u0301\u0301",
			Status: 123456789, Length: -1}, 80, "789 %E2%80%…     0 B http://a/%1B[2J%E2%80%AE%CC%81%CC%81%EF%BD%97%0A%00"},
		"endless": {captureLine{URL: strings.Repeat("\u0301", 1<<20), Type: strings.Repeat("x/", 1<<20),
			Status: 200, Length: 1 << 62}, 80, ""},
	} {
		t.Run(name, func(t *testing.T) {
			text := newTextLog(nil, new(volume))
			text.columns, text.color = c.columns, false
			got := logOne(t, text, c.captureLine)
			if c.want != "" && got != c.want+"\n" {
				t.Errorf("%q, want %q", got, c.want)
			}
			if utf8.RuneCountInString(got) > c.columns+1 || strings.Count(got, "\n") != 1 {
				t.Errorf("%d columns: %q", utf8.RuneCountInString(got)-1, got)
			}
			for _, r := range strings.TrimSuffix(got, "\n") {
				if (r < ' ' || r > '~') && r != '…' {
					t.Errorf("%q in %q", r, got)
				}
			}
		})
	}
}

// TestTextLogColumns: a line fits the terminal, and a terminal that does not know its width is like
// most.
func TestTextLogColumns(t *testing.T) {
	for width, want := range map[int]int{0: 80, 10: 40, 60: 60, 200: 80} {
		if got := columnsOf(width); got != want {
			t.Errorf("%d: %d columns, want %d", width, got, want)
		}
	}
}

// TestTextLogVerbose: a verbose line is whole.
func TestTextLogVerbose(t *testing.T) {
	url := "https://example.org/" + strings.Repeat("a", 100)
	got := logOne(t, newTextLog(nil, loudly(false, true)), captureLine{URL: url, Type: "text/css", Status: 200,
		File: "a.warc.gz", Offset: 17, Length: 5, MS: 3, Completion: "after a part"})
	for _, want := range []string{url, "a.warc.gz offset=17 ms=3", "completion=after a part",
		time.Now().Format("15:")} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in %q", want, got)
		}
	}
}

// TestTextLogReplayed: what a replay has answered has no line but a verbose one; what it has not has one
// in any case.
func TestTextLogReplayed(t *testing.T) {
	for _, c := range []struct {
		verbose, quiet bool
		want           string
	}{
		{false, false, "HH:MM:SS not in the archive url=http://a/none why=\"not captured\"\n"},
		{false, true, "HH:MM:SS not in the archive url=http://a/none why=\"not captured\"\n"},
		{true, false, "HH:MM:SS 200 replayed    12 B http://a/ ms=3\n" +
			"HH:MM:SS not in the archive url=http://a/none why=\"not captured\"\n"},
	} {
		var out bytes.Buffer
		how := loudly(c.quiet, c.verbose)
		text := newTextLog(&out, how)
		text.color, text.rest.NoColor = false, true
		log := zerolog.New(quiet{text, how}).With().Timestamp().Logger()
		log.Info().Str("url", "http://a/").Int("status", 200).Int64("length", 12).Int64("ms", 3).
			Msg("replayed")
		log.Info().Str("url", "http://a/none").Str("why", "not captured").Msg(missingMessage)
		if got := regexp.MustCompile(`\d\d:\d\d:\d\d`).ReplaceAllString(out.String(), "HH:MM:SS"); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

// TestTextLogStandsOut: warnings and errors have a mark, coloured on a terminal; other lines have
// none.
func TestTextLogStandsOut(t *testing.T) {
	for _, color := range []bool{false, true} {
		var out bytes.Buffer
		text := newTextLog(&out, new(volume))
		text.color, text.rest.NoColor = color, !color
		log := zerolog.New(text).With().Timestamp().Logger()
		log.Warn().Str("host", "example.org\x1b[2J").Msg("it refuses")
		log.Error().Msg("exchange lost")
		log.Info().Msg("recording is on again")
		got := regexp.MustCompile(`\d\d:\d\d:\d\d `).ReplaceAllString(out.String(), "")
		if color {
			if !strings.Contains(got, yellow+"!"+uncolored) || !strings.Contains(got, red+"!!"+uncolored) {
				t.Errorf("%q", got)
			}
			continue
		}
		want := "! it refuses host=\"example.org\\x1b[2J\"\n!! exchange lost\nrecording is on again\n"
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
