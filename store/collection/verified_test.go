package collection

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// TestVerified: what was left is read again, as a whole in the place of what was there.
func TestVerified(t *testing.T) {
	dir := Dir(t.TempDir())
	if _, err := dir.Verified(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("never verified: %v", err)
	}
	began := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	want := Verified{Version: "1", Started: began, Ended: began.Add(time.Minute), Files: 3, Bytes: 5,
		Captures: 7, Indexed: true, Findings: 2, Notes: 1, First: "a: b"}
	if err := dir.SetVerified(Verified{Started: began, Ended: began}, 0o640); err != nil {
		t.Fatal(err)
	}
	if err := dir.SetVerified(want, 0o600); err != nil {
		t.Fatal(err)
	}
	want.Format = 1
	if got, err := dir.Verified(); err != nil || got != want {
		t.Errorf("%+v, %v", got, err)
	}
	entries, err := os.ReadDir(string(dir))
	if err != nil || len(entries) != 1 {
		t.Errorf("%v, %v", entries, err)
	}
	want.First = strings.Repeat("ä", 5000)
	if err := dir.SetVerified(want, 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := dir.Verified()
	if err != nil || !utf8.ValidString(got.First) || !strings.HasSuffix(got.First, "ä…") {
		t.Errorf("%q, %v", got.First, err)
	}
}

// TestVerifiedForeign: what verify has not left is never believed, and said to be that.
func TestVerifiedForeign(t *testing.T) {
	const good = `{"verified":1,"version":"1","started":"2026-05-01T12:00:00Z","ended":"2026-05-01T12:00:01Z"}`
	for name, content := range map[string]string{
		"empty":      "",
		"torn":       good[:20],
		"another":    `{"a":1}`,
		"newer":      strings.Replace(good, ":1", ":2", 1),
		"backwards":  strings.Replace(good, ":01Z", ":00Z\",\"started\":\"2027-01-01T00:00:00Z", 1),
		"negative":   strings.Replace(good, "{", `{"findings":-1,`, 1),
		"long first": strings.Replace(good, "{", `{"first":"`+strings.Repeat("a", 2000)+`",`, 1),
		"long":       good + strings.Repeat(" ", 1<<20),
	} {
		dir := Dir(t.TempDir())
		if err := os.WriteFile(dir.verified(), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := dir.Verified()
		if foreign := (*NotVerifiedError)(nil); !errors.As(err, &foreign) || got != (Verified{}) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	dir := Dir(t.TempDir())
	elsewhere := filepath.Join(t.TempDir(), "a")
	if err := os.WriteFile(elsewhere, []byte(good), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(elsewhere, dir.verified()); err != nil {
		t.Skip(err)
	}
	if _, err := dir.Verified(); !errors.As(err, new(*NotVerifiedError)) {
		t.Errorf("a link: %v", err)
	}
}

// FuzzVerified: whatever is in the file, it is what verify leaves or an error.
func FuzzVerified(f *testing.F) {
	f.Add([]byte(`{"verified":1,"version":"1","started":"2026-05-01T12:00:00Z","ended":"2026-05-01T12:00:01Z"}`))
	f.Add([]byte(`{"verified":1,"files":-3}`))
	dir := Dir(f.TempDir())
	f.Fuzz(func(t *testing.T, content []byte) {
		if err := os.WriteFile(dir.verified(), content, 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := dir.Verified()
		if err == nil && (got.Format != verifiedFormat || got.Findings < 0 || len(got.First) > maxFirst) ||
			err != nil && got != (Verified{}) {
			t.Errorf("%+v, %v", got, err)
		}
	})
}
