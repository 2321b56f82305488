package cmd

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warcorder/store/verify"
)

// TestVerify checks a collection that is being recorded, the same afterwards, and then with a byte
// of it changed; and files alone.
func TestVerify(t *testing.T) {
	origin := newPages(t)
	p := startRecording(t)
	p.fetch(origin.URL + "/1")
	out, errs, code := p.run("verify")
	if code != 0 || !strings.Contains(out, "index.bolt:0: note: the collection is in use") ||
		!strings.Contains(out, "0 findings, ") {
		t.Errorf("while it is recorded: %d, %s%s", code, out, errs)
	}
	if code := p.stop(); code != 0 {
		t.Fatal(p.stderr)
	}
	out, errs, code = p.run("verify")
	const counts = "3 whole records (1 request, 1 response, 1 warcinfo)\n3 block digests and " +
		"2 payload digests are right\n1 capture of the index compared\n0 findings, 0 notes\n"
	if code != 0 || !strings.HasPrefix(out, "1 file, ") || !strings.Contains(out, counts) {
		t.Errorf("%d, %s%s", code, out, errs)
	}

	names, _ := filepath.Glob(filepath.Join(p.dir, "collections", "default", "archive", "*"))
	content, err := os.ReadFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	content[len(content)-1] ^= 1
	if err := os.WriteFile(names[0], content, 0o600); err != nil {
		t.Fatal(err)
	}
	out, errs, code = p.run("verify")
	if code != 1 || !strings.Contains(out, filepath.Base(names[0])+":") ||
		!strings.Contains(out, "checksum or size is wrong; ") ||
		!strings.Contains(errs, "2 findings, see above") {
		t.Errorf("%d, %s%s", code, out, errs)
	}
	out, errs, code = p.run("verify", "--json", names[0])
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if code != 1 || len(lines) != 3 || !strings.Contains(errs, "2 findings") {
		t.Fatalf("%d, %s%s", code, out, errs)
	}
	var finding verify.Finding
	if err := json.Unmarshal([]byte(lines[1]), &finding); err != nil ||
		finding.Code != verify.Checksum || finding.File != names[0] || finding.Offset == 0 ||
		finding.Note {
		t.Errorf("%s: %v", lines[1], err)
	}
	var last struct{ Summary verify.Summary }
	if err := json.Unmarshal([]byte(lines[2]), &last); err != nil || last.Summary.Findings != 2 ||
		last.Summary.Indexed || last.Summary.Records["response"] != 1 {
		t.Errorf("%s: %v", lines[2], err)
	}

	for want, args := range map[string][]string{
		"there is no collection none": {"--collection", "none"},
		"1 finding":                   {filepath.Join(p.dir, "none.warc.gz")},
	} {
		if out, errs, code := p.run(append([]string{"verify"}, args...)...); code != 1 ||
			!strings.Contains(errs, want) {
			t.Errorf("%v: %d, %s%s", args, code, out, errs)
		}
	}
}
