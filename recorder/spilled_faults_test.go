//go:build faults

package recorder

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/rs/zerolog"

	"warcorder/store/fault"
)

// TestSpilledKilledAnywhere kills the recovery of what lies in spill/ at every point, each time
// that it comes to it. After the next one everything is recorded, and nothing twice.
func TestSpilledKilledAnywhere(t *testing.T) {
	if dir := os.Getenv("RECORDER_TEST_SPILLED"); dir != "" {
		if _, err := recovered(Config{WARCMaxSize: 3 << 20}, dir, zerolog.Nop(), nil); err != nil {
			t.Fatal(err)
		}
		return
	}
	exchanges := leftExchanges()
	begin := makeLeft(t, exchanges)
	kills := 0
	for _, point := range fault.Points {
		for n := 1; ; n++ {
			if os.Getenv("CI_LONG") == "" && n > 1 {
				if point != fault.WARCWrite || n > 50 {
					break
				}
				n += 3 // between any two records of the exchanges, too
			}
			dir := filepath.Join(t.TempDir(), "c")
			if err := os.CopyFS(dir, os.DirFS(begin)); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(os.Args[0], "-test.run=^TestSpilledKilledAnywhere$")
			cmd.Env = append(os.Environ(), "RECORDER_TEST_SPILLED="+dir,
				fault.Variable+fmt.Sprintf("=kill %s %d", point, n))
			out, err := cmd.CombinedOutput()
			if err == nil {
				break
			}
			if cmd.ProcessState.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
				t.Fatalf("%v\n%s", err, out)
			}
			kills++
			recoverOnly(t, dir)
			// what a kill has left of records that are whole in spill/
			torn, _ := filepath.Glob(filepath.Join(dir, "archive", "*.torn*"))
			for _, path := range torn {
				os.Remove(path)
			}
			if checkLeft(t, dir, exchanges); t.Failed() {
				t.Fatalf("killed at %s, time %d", point, n)
			}
			os.RemoveAll(dir)
		}
	}
	if kills < 20 {
		t.Errorf("%d kills", kills)
	}
	t.Log(kills, "kills")
}
