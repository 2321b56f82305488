package supervisor

import (
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestFromSystemd: the words come on the socket that the environment names, in a folder or not, as
// often as the watchdog wants.
func TestFromSystemd(t *testing.T) {
	for _, c := range []struct{ name, address, watchdog string }{
		{"a path", filepath.Join(t.TempDir(), "notify"), "40000"},
		{"an abstract name", fmt.Sprintf("@warcorder-test-%d", time.Now().UnixNano()), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			ln, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: c.address, Net: "unixgram"})
			if err != nil {
				t.Fatal(err)
			}
			defer ln.Close()
			t.Setenv("NOTIFY_SOCKET", c.address)
			t.Setenv("WATCHDOG_USEC", c.watchdog)
			t.Setenv("WATCHDOG_PID", "")
			s := FromSystemd(never(t))
			s.Ready(well())
			s.Stopping(time.Hour)
			got, buf := "", make([]byte, 4096)
			for !strings.Contains(got, "STOPPING=1") || c.watchdog != "" && strings.Count(got, "WATCHDOG=1") < 5 {
				n, err := ln.Read(buf)
				if err != nil {
					t.Fatal(err)
				}
				got += string(buf[:n]) + "\n"
			}
			s.Close()
			if strings.Index(got, "READY=1") > strings.Index(got, "STOPPING=1") || strings.Contains(got, "WATCHDOG") !=
				(c.watchdog != "") {
				t.Errorf("%q", got)
			}
		})
	}
}
