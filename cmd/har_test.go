package cmd

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// harOf is what the tests look at of a HAR.
type harOf struct {
	Log struct {
		Version string
		Entries []struct {
			Request  struct{ URL string }
			Response struct{ Content struct{ Text string } }
		}
	}
}

func parseHAR(t *testing.T, text string) (har harOf) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &har); err != nil || har.Log.Version != "1.2" {
		t.Fatalf("%v: %.2000s", err, text)
	}
	return har
}

// TestHAR: what was recorded comes as a HAR, all of it or what is selected; what cannot be read is
// named, and the rest is there.
func TestHAR(t *testing.T) {
	origin := newPages(t)
	p := startRecording(t)
	for _, path := range []string{"/c", "/a", "/b"} {
		p.fetch(origin.URL + path)
	}
	eventually(t, "all is in the index, beside the recorder", func() bool {
		out, errs, code := p.run("har", "-o", "-")
		if code != 0 || errs != "" {
			t.Fatalf("%d, %q", code, errs)
		}
		return len(parseHAR(t, out).Log.Entries) == 3
	})
	if code := p.stop(); code != 0 {
		t.Fatal(p.stderr)
	}
	out, errs, code := p.run("har", "-o", "-")
	all := parseHAR(t, out).Log.Entries
	if code != 0 || errs != "" || len(all) != 3 || all[0].Request.URL != origin.URL+"/c" ||
		all[2].Response.Content.Text != "page /b" {
		t.Fatalf("%d, %q: %+v", code, errs, all)
	}
	file := filepath.Join(p.dir, "a.har")
	if _, errs, code := p.atTerminal("har", "-o", file, "--url", origin.URL+"/a"); code != 0 ||
		!strings.Contains(errs, "1 exchange in "+file) {
		t.Errorf("%d, %q", code, errs)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if one := parseHAR(t, string(text)).Log.Entries; len(one) != 1 || one[0].Response.Content.Text != "page /a" {
		t.Errorf("%+v", one)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if _, errs, code := p.run("har", "-o", file, "--from", "never"); code != 1 || !strings.Contains(errs, "never") {
		t.Errorf("%d, %q", code, errs)
	}
	for _, none := range [][]string{{"--from", "2090"}, {"--url", origin.URL + "/none"}} {
		for _, to := range []string{file, "-"} {
			out, errs, code := p.run(append([]string{"har", "-o", to}, none...)...)
			if code != 1 || out != "" || !strings.Contains(errs, "export -o -") {
				t.Errorf("%v to %s: %d, %q, %q", none, to, code, out, errs)
			}
		}
	}
	if again, err := os.ReadFile(file); err != nil || string(again) != string(text) {
		t.Errorf("a HAR that could not be written has changed what was there: %v", err)
	}
	if _, errs, code := p.run("har", "--collection", "none", "-o", file); code != 1 ||
		!strings.Contains(errs, "no collection") {
		t.Errorf("%d, %q", code, errs)
	}
	damage(t, p, filepath.Join(p.dir, "collections", "default", "archive"), origin.URL+"/b")
	out, errs, code = p.run("har", "-o", "-")
	if rest := parseHAR(t, out).Log.Entries; code != 1 || len(rest) != 2 ||
		!strings.Contains(errs, origin.URL+"/b of ") || !strings.Contains(errs, "1 exchange could not be read") {
		t.Errorf("%d, %q, %d exchanges", code, errs, len(rest))
	}
	_, errs, code = p.run("har", "-o", file, "--url", origin.URL+"/b")
	if code != 1 || !strings.Contains(errs, "nothing of it could be read") {
		t.Errorf("%d, %q", code, errs)
	}
	if again, err := os.ReadFile(file); err != nil || string(again) != string(text) {
		t.Errorf("a HAR of what cannot be read has replaced what was there: %v", err)
	}
}

// damage changes a byte in the record of a URL's response, wherever in the file that came to lie: a
// client has its answer before the record is written, so the next one's may be written first.
func damage(t *testing.T, p *program, archive, url string) {
	t.Helper()
	out, errs, code := p.run("export", "-o", "-")
	if code != 0 {
		t.Fatalf("%d, %q", code, errs)
	}
	var place struct{ URL, Filename, Offset, Length string }
	for line := range strings.Lines(out) {
		_, after, _ := strings.Cut(line, " ")
		_, after, _ = strings.Cut(after, " ")
		if err := json.Unmarshal([]byte(after), &place); err != nil {
			t.Fatal(err)
		}
		if place.URL == url {
			break
		}
	}
	path := filepath.Join(archive, place.Filename)
	b, err := os.ReadFile(path)
	if err != nil || place.URL != url {
		t.Fatal(err, place)
	}
	offset, errOffset := strconv.Atoi(place.Offset)
	length, errLength := strconv.Atoi(place.Length)
	if errOffset != nil || errLength != nil {
		t.Fatal(place)
	}
	b[offset+length-5]++ // of the member's length
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
}
