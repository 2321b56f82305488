package cmd

import (
	"bufio"
	"compress/gzip"
	"crypto/sha1"
	"encoding/base32"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// fileKeys say when WARC files begin and end, how they are named, and what form their records have.
func fileKeys() []keyRow {
	return []keyRow{
		{key: "warc-prefix", shows: showWARCPrefix},
		{key: "warc-name", shows: showWARCName},
		{key: "warc-max-size", shows: showWARCMaxSize},
		{key: "warc-idle", shows: showWARCIdle},
		{key: "warc-max-age", shows: showWARCMaxAge},
		{key: "warc-version", shows: showWARCVersion},
		{key: "digest", shows: showDigest},
		{key: "payload-digest", shows: showPayloadDigest},
		{key: "sl", shows: showSL},
	}
}

// recordsOne records a page with that file, in a recorder of its own, or in the plain one.
func (b *keyBench) recordsOne(t *testing.T, file, path string) *keyed {
	t.Helper()
	r := b.plain
	if file != "" {
		r = b.record(t, file)
	}
	r.fetch(b.pages.URL+path).wants(t, 200, "page "+path)
	r.captured(t, b.pages.URL+path)
	return r
}

func showWARCPrefix(t *testing.T, b *keyBench) {
	for file, prefix := range map[string]string{"": "warcorder-", "warc-prefix: news": "news-"} {
		for _, name := range b.recordsOne(t, file, "/prefix").files(t, "*") {
			if !strings.HasPrefix(filepath.Base(name), prefix) {
				t.Errorf("%q: %s", file, name)
			}
		}
	}
}

func showWARCName(t *testing.T, b *keyBench) {
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	for file, form := range map[string]string{
		"": `^warcorder-\d{14,17}-\d+-[\w.-]*\.warc\.gz\.open$`,
		`warc-name: "{serial}.{timestamp}.of-{host}.{prefix}"`: `^\d+\.\d{14,17}\.of-` +
			regexp.QuoteMeta(host[:1]) + `.*\.warcorder\.warc\.gz\.open$`,
	} {
		for _, name := range b.recordsOne(t, file, "/name").files(t, "*.open") {
			if name = filepath.Base(name); !regexp.MustCompile(form).MatchString(name) {
				t.Errorf("%q: %s", file, name)
			}
		}
	}
	for _, lacks := range []string{"timestamp", "serial"} {
		name := strings.Replace("{prefix}-{timestamp}-{serial}", "{"+lacks+"}", "x", 1)
		if said := b.refused(t, `warc-name: "`+name+`"`); !strings.Contains(said, "{"+lacks+"}") {
			t.Errorf("%s: %s", name, said)
		}
	}
}

func showWARCMaxSize(t *testing.T, b *keyBench) {
	const limit = 100_000
	site := newSite(t).plain
	r := b.record(t, fmt.Sprint("warc-max-size: ", limit))
	sizes := []int{40_000, 40_000, 40_000, 40_000, 300_000, 40_000}
	for i, size := range sizes {
		target := fmt.Sprintf("%s/bytes/%d/%d", site.URL, i, size)
		r.fetch(target).wants(t, 200, "")
		r.captured(t, target)
		b.plain.fetch(target).wants(t, 200, "")
	}
	if n := len(r.files(t, "*")); n != 4 {
		t.Errorf("%d files", n)
	}
	eventually(t, "three are finished", func() bool { return len(r.files(t, "*.warc.gz")) == 3 })
	larger := 0
	for _, name := range r.files(t, "*") {
		info, err := os.Stat(name)
		if err == nil && info.Size() > limit {
			if larger++; info.Size() < 300_000 { // only one exchange that is larger makes a larger file
				t.Errorf("%s has %d bytes", name, info.Size())
			}
		}
	}
	if larger != 1 {
		t.Errorf("%d files are larger", larger)
	}
	if n := len(b.plain.files(t, "*.warc.gz")); n > 0 {
		t.Errorf("%d files are finished by default", n)
	}
}

func showWARCIdle(t *testing.T, b *keyBench) {
	r := b.record(t, "warc-idle: 500ms")
	for n := range 2 {
		began := time.Now()
		r.fetch(fmt.Sprintf("%s/idle/%d", b.pages.URL, n)).wants(t, 200, "")
		eventually(t, "a file is finished", func() bool { return len(r.files(t, "*.warc.gz")) > n })
		if took := time.Since(began); took < 500*time.Millisecond {
			t.Errorf("finished after %v", took)
		}
	}
	b.recordsOne(t, "", "/idle")
	if open := b.plain.files(t, "*.open"); len(open) == 0 {
		t.Error("by default no file is open")
	}
}

func showWARCMaxAge(t *testing.T, b *keyBench) {
	r := b.record(t, "warc-max-age: 1s")
	began, n := time.Now(), 0
	eventually(t, "a file that is written to is finished", func() bool {
		n++
		r.fetch(fmt.Sprintf("%s/age/%d", b.pages.URL, n)).wants(t, 200, "")
		return len(r.files(t, "*.warc.gz")) > 0
	})
	if took := time.Since(began); took < time.Second {
		t.Errorf("finished after %v", took)
	}
	b.recordsOne(t, "", "/age")
	if done := b.plain.files(t, "*.warc.gz"); len(done) > 0 {
		t.Errorf("by default %v are finished", done)
	}
}

func showWARCVersion(t *testing.T, b *keyBench) {
	for file, form := range map[string]string{
		"":                  `^WARC/1\.1\r\n(?s:.*)\r\nWARC-Date: [0-9T:-]{19}\.\d{6}Z\r\n`,
		"warc-version: 1.0": `^WARC/1\.0\r\n(?s:.*)\r\nWARC-Date: [0-9T:-]{19}Z\r\n`,
	} {
		r := b.recordsOne(t, file, "/version")
		for _, kind := range []string{"response", "request"} {
			for _, record := range r.records(t, kind, "/version") {
				if !regexp.MustCompile(form).MatchString(record) {
					t.Errorf("%q: %.500q", file, record)
				}
			}
		}
	}
}

func showDigest(t *testing.T, b *keyBench) {
	for file, form := range map[string]string{
		"": `sha1:[A-Z2-7]{32}`, "digest: sha1": `sha1:[A-Z2-7]{32}`, "digest: sha256": `sha256:[0-9a-f]{64}`,
	} {
		r := b.recordsOne(t, file, "/digest")
		for _, field := range []string{"Block", "Payload"} {
			want := regexp.MustCompile(`\r\nWARC-` + field + `-Digest: ` + form + `\r\n`)
			if got := r.records(t, "response", "/digest")[0]; !want.MatchString(got) {
				t.Errorf("%q: %.900q", file, got)
			}
		}
	}
}

func showPayloadDigest(t *testing.T, b *keyBench) {
	target := newSite(t).plain.URL + "/bytes/2001" // in chunks
	digest := func(body string) string {
		sum := sha1.Sum([]byte(body))
		return "\r\nWARC-Payload-Digest: sha1:" + base32.StdEncoding.EncodeToString(sum[:]) + "\r\n"
	}
	entity := digest(string(content("/bytes/2001")))
	for file, wire := range map[string]bool{
		"": true, "payload-digest: wire": true, "payload-digest: entity": false,
	} {
		r := b.record(t, file)
		r.fetch(target).wants(t, 200, "")
		r.captured(t, target)
		record := r.records(t, "response", target)[0]
		_, block, _ := strings.Cut(record, "\r\n\r\n")
		_, body, _ := strings.Cut(strings.TrimSuffix(block, "\r\n\r\n"), "\r\n\r\n")
		if strings.Contains(record, digest(body)) != wire || strings.Contains(record, entity) == wire {
			t.Errorf("%q: %.900q", file, record)
		}
	}
}

func showSL(t *testing.T, b *keyBench) {
	for file, want := range map[string]bool{"": true, "sl: true": true, "sl: false": false} {
		for _, name := range b.recordsOne(t, file, "/sl").files(t, "*") {
			f, err := os.Open(name)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			in := bufio.NewReader(f)
			member, err := gzip.NewReader(in)
			for n := 0; err == nil && n < 3; n++ {
				if has := strings.HasPrefix(string(member.Extra), "sl"); has != want {
					t.Errorf("%q: a member has %q", file, member.Extra)
				}
				member.Multistream(false)
				io.Copy(io.Discard, member)
				err = member.Reset(in)
			}
		}
	}
}
