//go:build faults

package cmd

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"warcorder/store/fault"
	"warcorder/store/objects/gateway"
)

// TestUploadRecorderKilled: a recorder that uploads is killed at each step of that; then everything is in the
// export, the next upload goes on without a recorder, and the referee finds all of it there, and nothing else.
func TestUploadRecorderKilled(t *testing.T) {
	server := gateway.Start(t)
	site := newSite(t)
	for _, point := range fault.Uploads {
		if point == fault.UploadPart {
			continue // such a file has more than 64 MiB: TestUploadKilled
		}
		dir, place := t.TempDir(), fmt.Sprintf("s3://%s/%s", gateway.Bucket, point)
		p := startRecordingIn(t, dir)
		for i := range 2 {
			p.fetch(fmt.Sprintf("%s/bytes/%d", site.plain.URL, 100+i))
			p.done("rotate")
		}
		p.stop()
		want := p.done("export", "--all", "-o", "-")
		cmd := command(dir, "record", "--listen", "127.0.0.1:0", "--log", "json", "--upload", place, "--keep-local", "0")
		cmd.Env = append(cmd.Env, fault.Variable+"=kill "+string(point)+" 2")
		var said bytes.Buffer
		cmd.Stderr = &said
		cmd.Run()
		if status, is := cmd.ProcessState.Sys().(syscall.WaitStatus); !is || status.Signal() != syscall.SIGKILL {
			t.Fatalf("%s: %v: %s", point, cmd.ProcessState, said.String())
		}
		if now := p.done("export", "--all", "-o", "-"); now != want {
			t.Errorf("%s: %s", point, difference(want, now))
		}
		p.done("upload", place, "--keep-local", "0", "--cdxj")
		states, report := p.files()
		for name, state := range states {
			if state != fileAway {
				t.Errorf("%s: %s is %s", point, name, state)
			}
		}
		if now := p.done("export", "--all", "-o", "-"); now != want || len(report.Files) != 2 {
			t.Errorf("%s: %d files, %s", point, len(report.Files), difference(want, now))
		}
		p.done("verify", "--remote")
		there, _ := filepath.Glob(filepath.Join(server.Dir, gateway.Bucket, string(point), "*"))
		left, _ := filepath.Glob(filepath.Join(string(p.archiveDir()), "uploads", "*"))
		here, _ := filepath.Glob(p.archiveDir().WARC("*"))
		if len(there) != 4 || strings.Count(strings.Join(there, "\n"), ".cdxj") != 2 || len(left)+len(here) > 0 {
			t.Errorf("%s: there %v, under way %v, here %v", point, there, left, here)
		}
	}
}
