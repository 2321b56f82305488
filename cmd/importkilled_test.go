//go:build faults

package cmd

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"warcorder/store/collection"
	"warcorder/store/fault"
)

// TestImportKilled kills an import at each of its steps, and then a recovery too. The collection is
// then as it was, or has all of it; the same import again gives the same in any case.
func TestImportKilled(t *testing.T) {
	top := t.TempDir()
	wacz := filepath.Join(top, "crawl.wacz")
	waczOf(t, wacz, warcsOf("data.warc.gz", "more.warc.gz", "other.warc.gz"), pageLine)
	one := filepath.Join(top, "one.wacz")
	waczOf(t, one, warcsOf("data.warc.gz"), strings.ReplaceAll(pageLine, "p1", "p0"))
	state := func(p *program) string {
		p.t.Helper()
		out, errs, code := p.run("export", "--all", "-o", "-")
		if code != 0 {
			t.Fatalf("export: exit %d, %s", code, errs)
		}
		dir := collection.Dir(filepath.Join(p.dir, "collections", "default"))
		pages, err := os.ReadFile(dir.Pages())
		if err != nil {
			t.Fatal(err)
		}
		if left, _ := filepath.Glob(filepath.Join(string(dir), "import-*")); len(left) > 0 {
			t.Errorf("left: %v", left)
		}
		return out + string(pages)
	}
	begin := func(t *testing.T) *program {
		p := &program{t: t, dir: t.TempDir()}
		if out, errs, code := p.run("import", one); code != 0 {
			t.Fatalf("exit %d, %s%s", code, out, errs)
		}
		return p
	}
	killed := func(p *program, faults string, args ...string) bool {
		p.t.Helper()
		cmd := command(p.dir, args...)
		cmd.Env = append(cmd.Env, fault.Variable+"="+faults)
		out, err := cmd.CombinedOutput()
		if err != nil && cmd.ProcessState.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
			p.t.Fatalf("%s: %v\n%s", faults, err, out)
		}
		return err != nil
	}
	p := begin(t)
	before := state(p)
	if out, errs, code := p.run("import", wacz); code != 0 {
		t.Fatalf("exit %d, %s%s", code, out, errs)
	}
	after := state(p)
	if before == after || strings.Count(after, "p1") != 1 {
		t.Fatal(after)
	}
	kills := 0
	points := append([]fault.Point{fault.IndexAddFile, fault.IndexCommit}, fault.ImportPoints...)
	for _, point := range points {
		for n := 1; ; n++ {
			p := begin(t)
			if !killed(p, fmt.Sprintf("kill %s %d", point, n), "import", wacz) {
				break
			}
			kills++
			for again := 1; killed(p, fmt.Sprintf("kill %s %d", point, again), "recover"); again++ {
				kills++
			}
			if now := state(p); now != before && now != after {
				t.Errorf("killed at %s, time %d:\n%s\nbefore:\n%s\nafter:\n%s", point, n, now, before, after)
			}
			if out, errs, code := p.run("import", wacz); code != 0 {
				t.Errorf("killed at %s, time %d, and again: exit %d, %s%s", point, n, code, out, errs)
			}
			if now := state(p); now != after {
				t.Errorf("killed at %s, time %d, and again:\n%s\nwant\n%s", point, n, now, after)
			}
			if out, errs, code := p.run("verify"); code != 0 {
				t.Errorf("killed at %s, time %d: verify: exit %d, %s%s", point, n, code, out, errs)
			}
		}
	}
	if kills < 12 {
		t.Errorf("%d kills", kills)
	}
	t.Log(kills, "kills")
}

// TestImportOnFullDisk: an import for which the disk is full anywhere says so, and leaves the
// collection as it was, or ready to be completed.
func TestImportOnFullDisk(t *testing.T) {
	top := t.TempDir()
	wacz := filepath.Join(top, "crawl.wacz")
	waczOf(t, wacz, warcsOf("data.warc.gz", "more.warc.gz"), pageLine)
	for _, point := range fault.ImportPoints {
		p := &program{t: t, dir: t.TempDir()}
		cmd := command(p.dir, "import", wacz)
		cmd.Env = append(cmd.Env, fmt.Sprintf("%s=full %s 1", fault.Variable, point))
		out, err := cmd.CombinedOutput()
		if err == nil || !strings.Contains(string(out), "no space left") {
			t.Errorf("%s: %v, %s", point, err, out)
		}
		if out, errs, code := p.run("recover"); code != 0 {
			t.Errorf("%s: recover: exit %d, %s%s", point, code, out, errs)
		}
		lines, _, _ := p.run("export", "--all", "-o", "-")
		ready := point != fault.ImportUnpack && point != fault.ImportReady
		if (strings.Contains(lines, "more.warc.gz")) != ready || (lines == "") == ready {
			t.Errorf("%s: %s", point, lines)
		}
		left, _ := filepath.Glob(filepath.Join(p.dir, "collections", "default", "import-*"))
		if len(left) > 0 {
			t.Errorf("%s: left: %v", point, left)
		}
	}
}
