//go:build unix

package cmd

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"warcorder/store/objects/gateway"
	"warcorder/store/verify"
)

// awayProgram is a collection at rest, all files of which are away.
type awayProgram struct {
	*program
	storage *gateway.Server
	origin  string
	name    string // of the file
	lines   string // of its index
}

// sendAway records some pages, and uploads them.
func sendAway(t *testing.T) *awayProgram {
	t.Helper()
	p := &awayProgram{storage: gateway.Start(t), origin: newPages(t).URL, program: startRecording(t)}
	for _, path := range []string{"/a", "/b", "/c"} {
		p.fetch(p.origin + path)
	}
	if code := p.stop(); code != 0 {
		t.Fatal(p.stderr)
	}
	p.name = warcNames(t, p.dir, "default")[0]
	p.lines, _, _ = p.run("export", "-o", "-")
	if out, errs, code := p.run("upload", "s3://warcs/news", "--keep-local", "0"); code != 0 {
		t.Fatalf("%d %s%s", code, out, errs)
	}
	if here, _ := filepath.Glob(filepath.Join(p.dir, "collections", "default", "archive", "*")); len(here) > 0 {
		t.Fatal(here)
	}
	return p
}

func (p *awayProgram) object() string {
	return filepath.Join(p.storage.Dir, gateway.Bucket, "news", p.name)
}

// readers are commands that read what is away, with where they write to.
func readers(t *testing.T) [][]string {
	to := t.TempDir()
	return [][]string{
		{"wacz", "-o", filepath.Join(to, "x.wacz")},
		{"extract", "-o", filepath.Join(to, "extract")},
		{"har", "-o", filepath.Join(to, "x.har")},
	}
}

// TestReadAway: whatever reads what was recorded reads it where it is away.
func TestReadAway(t *testing.T) {
	p := sendAway(t)
	for _, args := range readers(t) {
		if out, errs, code := p.run(args...); code != 0 {
			t.Errorf("%s: %d %s%s", args[0], code, out, errs)
		}
	}
	if lines, _, code := p.run("export", "-o", "-"); code != 0 || lines != p.lines {
		t.Errorf("%d %s", code, lines)
	}
	replay := startReplay(t, p.dir)
	if res, body := replay.get(p.origin + "/b"); res.StatusCode != 200 || !strings.Contains(body, "/b") {
		t.Errorf("replay: %s %q", res.Status, body)
	}
	replay.stop()
	served := startProgram(t, p.dir, "serving", "serve", "--listen", "127.0.0.1:0", "--log", "json")
	object, err := os.ReadFile(p.object())
	if err != nil {
		t.Fatal(err)
	}
	if status, _, body := answered(t, served.address, "/default/warc/"+p.name); status != 200 || body != string(object) {
		t.Errorf("/warc/: %d, %d bytes", status, len(body))
	}
	served.stop()
	again := startRecordingIn(t, p.dir)
	again.fetch(p.origin + "/d")
	if status, _, body := answered(t, again.address, "/web/id_/"+p.origin+"/a"); status != 200 {
		t.Errorf("beside a recorder: %d %q", status, body)
	}
	if code := again.stop(); code != 0 {
		t.Error(again.stderr)
	}
}

// TestReadAwayDown: where object storage does not answer, what reads from it says so, with the file, and
// ends; what needs the index alone goes on.
func TestReadAwayDown(t *testing.T) {
	p := sendAway(t)
	gateway.Use(t, "http://127.0.0.1:1")
	t.Setenv("AWS_MAX_ATTEMPTS", "1")
	for _, args := range readers(t) {
		out, errs, code := p.run(args...)
		if code == 0 || !strings.Contains(errs, p.name) || !strings.Contains(errs, "the storage cannot be reached") {
			t.Errorf("%s: %d %s%s", args[0], code, out, errs)
		}
	}
	for want, args := range map[string][]string{
		p.lines: {"export", "-o", "-"},
		"1 file is away: warcorder verify --remote reads it": {"verify"},
		"0 captures put into the index":                      {"recover"},
	} {
		if out, errs, code := p.run(args...); code != 0 || !strings.Contains(out, want) {
			t.Errorf("%s: %d %s%s", args[0], code, out, errs)
		}
	}
	replay := startReplay(t, p.dir)
	if res, body := replay.get(p.origin + "/b"); res.StatusCode != 502 {
		t.Errorf("replay: %s %q", res.Status, body)
	}
	if report := replay.page("/report"); !strings.Contains(report, "storage cannot be reached") {
		t.Errorf("%s", report)
	}
	replay.stop()
	served := startProgram(t, p.dir, "serving", "serve", "--listen", "127.0.0.1:0", "--log", "json")
	for _, path := range []string{"/default/warc/" + p.name, "/default/web/id_/" + p.origin + "/a"} {
		status, _, body := answered(t, served.address, path)
		if status < 500 || !strings.Contains(body, p.name) || !strings.Contains(body, "cannot be reached") {
			t.Errorf("%s: %d %q", path, status, body)
		}
	}
	served.stop()
	again := startRecordingIn(t, p.dir)
	again.fetch(p.origin + "/d")
	if code := again.stop(); code != 0 {
		t.Error(again.stderr)
	}
}

// TestVerifyRemote: what is wrong with an object makes the exit status 1, and is told by its address, to
// people and to programs; so is a storage that cannot be asked. Without --remote it is no damage.
func TestVerifyRemote(t *testing.T) {
	p := sendAway(t)
	url := "s3://warcs/news/" + p.name
	out, errs, code := p.run("verify", "--remote")
	if code != 0 || !strings.Contains(out, "object storage was read: 1 file that are away") {
		t.Errorf("%d %s%s", code, out, errs)
	}
	if err := os.Truncate(p.object(), 100); err != nil {
		t.Fatal(err)
	}
	out, errs, code = p.run("verify", "--remote")
	if code != 1 || !strings.HasPrefix(out, url+":0: the object is not what was uploaded") ||
		!strings.Contains(errs, "1 finding, see above") {
		t.Errorf("%d %s%s", code, out, errs)
	}
	out, errs, code = p.run("verify", "--remote", "--json")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	var found verify.Finding
	var last struct{ Summary verify.Summary }
	if len(lines) != 2 || json.Unmarshal([]byte(lines[0]), &found) != nil ||
		json.Unmarshal([]byte(lines[1]), &last) != nil || code != 1 || found.Code != verify.Object ||
		found.File != url || !last.Summary.Remote || last.Summary.Away != 1 || last.Summary.Findings != 1 {
		t.Errorf("%d %s%s", code, out, errs)
	}
	if out, _, code := p.run("status"); code != 0 || !strings.Contains(out, "1 finding") {
		t.Errorf("status: %d %s", code, out)
	}
	gateway.Use(t, "http://127.0.0.1:1")
	t.Setenv("AWS_MAX_ATTEMPTS", "1")
	for _, args := range [][]string{{"verify", "--remote"}, {"verify", "--remote", "--json"}} {
		out, errs, code = p.run(args...)
		if code != 1 || !strings.Contains(errs, url) || !strings.Contains(errs, "the storage cannot be reached") ||
			strings.Contains(out, "finding") {
			t.Errorf("%v: %d %s%s", args, code, out, errs)
		}
	}
	if out, errs, code := p.run("verify"); code != 0 {
		t.Errorf("without --remote: %d %s%s", code, out, errs)
	}
}

// TestVerifySendsAnew: an object that verify has found to be damaged is written over by the next upload with the
// file that is here, before that goes.
func TestVerifySendsAnew(t *testing.T) {
	p := &awayProgram{storage: gateway.Start(t), origin: newPages(t).URL, program: startRecording(t)}
	p.fetch(p.origin + "/a")
	if code := p.stop(); code != 0 {
		t.Fatal(p.stderr)
	}
	p.name = warcNames(t, p.dir, "default")[0]
	if out, errs, code := p.run("upload", "s3://warcs/news"); code != 0 {
		t.Fatalf("%d %s%s", code, out, errs)
	}
	whole, err := os.ReadFile(p.object())
	if err != nil {
		t.Fatal(err)
	}
	object, err := os.OpenFile(p.object(), os.O_WRONLY, 0)
	if err == nil {
		_, err = object.WriteAt([]byte{whole[1000] ^ 1}, 1000)
		err = errors.Join(err, object.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	out, errs, code := p.run("verify", "--remote")
	if code != 1 || !strings.Contains(out, "let warcorder upload send it anew") {
		t.Errorf("%d %s%s", code, out, errs)
	}
	if out, errs, code := p.run("upload", "s3://warcs/news", "--keep-local", "0"); code != 0 {
		t.Errorf("%d %s%s", code, out, errs)
	}
	if now, err := os.ReadFile(p.object()); !bytes.Equal(now, whole) {
		t.Errorf("it is what it was: %v", err)
	}
	if out, errs, code := p.run("verify", "--remote"); code != 0 || !strings.Contains(out, "1 file that are away") {
		t.Errorf("%d %s%s", code, out, errs)
	}
}

// TestRebuildFromKilled: a rebuild from a bucket that is killed while it reads leaves nothing that the next
// one does not mend.
func TestRebuildFromKilled(t *testing.T) {
	p := sendAway(t)
	reached := make(chan struct{}, 100)
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	go func() { // lists, and is silent then
		for n := 0; ; n++ {
			client, err := silent.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("tcp", strings.TrimPrefix(p.storage.Endpoint, "http://"))
			if err != nil {
				return
			}
			go io.Copy(server, client)
			go func() {
				buf := make([]byte, 64<<10)
				for answers := 0; answers < 2; answers++ {
					k, err := server.Read(buf)
					if err != nil {
						break
					}
					client.Write(buf[:k])
				}
				reached <- struct{}{}
			}()
		}
	}()
	into := t.TempDir()
	cmd := command(into, "rebuild", "--from", "s3://warcs/news")
	cmd.Env = append(cmd.Env, "AWS_ENDPOINT_URL="+fmt.Sprint("http://", silent.Addr()))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	select {
	case <-reached:
	case <-time.After(patience):
		t.Error("it asks for nothing")
	}
	cmd.Process.Kill()
	cmd.Wait()
	next := &program{t: t, dir: into}
	if out, errs, code := next.run("rebuild", "--from", "s3://warcs/news"); code != 0 {
		t.Errorf("%d %s%s", code, out, errs)
	}
	if lines, _, _ := next.run("export", "-o", "-"); lines != p.lines {
		t.Errorf("%s", lines)
	}
	if out, errs, code := next.run("verify", "--remote"); code != 0 {
		t.Errorf("%d %s%s", code, out, errs)
	}
}
