//go:build linux

package cmd

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"warcorder/proxy/raced"
)

// hostileRows returns bodies of 1 MiB that a page may post. No variable holds them: each process that
// a test starts would make them anew.
func hostileRows() map[string]hostileRow {
	most := raced.Of(1 << 20) // which the race detector does not make faster
	return map[string]hostileRow{
		"a long name":   {"text/plain", nameAndValues(raced.Of(512<<10), "1,[],", raced.Of(104<<10))},
		"24 KB of name": {"application/json", nameAndValues(24<<10, "1,", raced.Of(500<<10))},
		"many names":    {"application/json", `{"":1` + names(most) + `}`},
		"tiny numbers":  {"application/json", `[1` + strings.Repeat(",5e-324", raced.Of(149<<10)) + `]`},
		"a pattern":     {"multipart/form-data; boundary=a.*b|a", strings.Repeat("a", most)},
		"empty pairs":   {"application/x-www-form-urlencoded", strings.Repeat("&", most)},
		"escapes":       {"application/x-www-form-urlencoded", strings.Repeat("%FF", most/3)},
		"zeros":         {"application/octet-stream", strings.Repeat("\x00", most)},
		"messages":      {"application/x-amf", "\x00\x00\x00\x00\xff\xff" + amfMessages(raced.Of(58000))},
		"nulls": {"application/x-amf", "\x00\x00\x00\x00\x00\x01" +
			"\x00\x01t\x00\x01a....\x0a\x00\x0f\xff\xf0" + strings.Repeat("\x05", most)},
	}
}

type hostileRow struct{ contentType, body string }

// nameAndValues is an object of one name of that size, with so many values.
func nameAndValues(size int, values string, times int) string {
	return `{"` + strings.Repeat("a", size) + `":[` + strings.Repeat(values, times) + `1]}`
}

func names(size int) string {
	var b strings.Builder
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, `,"%x":1`, i)
	}
	return b.String()
}

func amfMessages(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "\x00\x01t\x00\x06%06x....\x0a\x00\x00\x00\x00", i)
	}
	return b.String()
}

// TestKeyOfHostileRows: warcorder key --jsonl answers a body of 1 MiB of any shape in any dialect
// in a few seconds of processor time and 200 MB.
func TestKeyOfHostileRows(t *testing.T) {
	for name, row := range hostileRows() {
		for _, dialect := range []string{"pywb", "spec", "warciojs"} {
			t.Run(name+"/"+dialect, func(t *testing.T) {
				usage, peak := keyOf(t, row.contentType, dialect, row.body)
				took := time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
				t.Logf("%v, %d MB", took, peak>>20)
				if took > 10*time.Second {
					t.Errorf("%v of processor time", took)
				}
				if peak > 200<<20 && !raced.Enabled {
					t.Errorf("%d bytes of memory", peak)
				}
			})
		}
	}
}

// keyOf has a process make the keys of a request, between two others, and returns what that took.
func keyOf(t *testing.T, contentType, dialect, body string) (usage *syscall.Rusage, peak int64) {
	t.Helper()
	row, err := json.Marshal(map[string]any{"id": 1, "url": "http://example.com/", "method": "POST",
		"content_type": contentType, "dialect": dialect, "body_base64": []byte(body)})
	if err != nil {
		t.Fatal(err)
	}
	const small = `{"id":0,"url":"http://example.com/"}`
	cmd := exec.Command(os.Args[0], "key", "--jsonl")
	cmd.Env = append(os.Environ(), "RUN_AS_WARCORDER=1")
	cmd.Stdin = strings.NewReader(small + "\n" + string(row) + "\n" + small)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	most := watchPeak(t, cmd)
	lines := bufio.NewReader(out)
	for i := range 3 {
		line, err := lines.ReadBytes('\n')
		var keys struct {
			ID     int    `json:"id"`
			URLKey string `json:"urlkey"`
		}
		known := json.Unmarshal(line, &keys) == nil && keys.ID == i%2
		if err != nil || !known || !strings.HasPrefix(keys.URLKey, "com,example)/") {
			t.Errorf("line %d: %.200s, %v", i, line, err)
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	return cmd.ProcessState.SysUsage().(*syscall.Rusage), most()
}

func TestKeyCommand(t *testing.T) {
	cmd := exec.Command(os.Args[0], "key", "http://www.Example.com/A?b=%26",
		"--method", "POST", "--content-type", "application/json", "--body", "-")
	cmd.Env = append(os.Environ(), "RUN_AS_WARCORDER=1")
	cmd.Stdin = strings.NewReader(`{"x":[1,2.0]}`)
	out, err := cmd.CombinedOutput()
	want := "urlkey\tcom,example)/a?&__wb_method=post&b=&x=1&x.2_=2\n" +
		"url\thttp://www.Example.com/A?b=%26&__wb_method=POST&x=1&x.2_=2\n" +
		"request_body\tx=1&x.2_=2\nsurt\tcom,example)/a?&b=\npath\t/A\n" +
		"wwwoffle\thttp://www.example.com/A?b=%26\n" +
		"wwwoffle_userinfo\thttp://www.example.com/A?b=%26\nform\t%7B%22x%22%3A%5B1%2C2.0%5D%7D\n" +
		"query\tcom,example)/a?&__wb_method=post&b=#query=2e7bdd0d28b3fb87c632aec5c5239236\n"
	if err != nil || string(out) != want {
		t.Errorf("%v\n%s\nwant\n%s", err, out, want)
	}
	cmd = exec.Command(os.Args[0], "key", "--jsonl")
	cmd.Env = append(os.Environ(), "RUN_AS_WARCORDER=1")
	cmd.Stdin = strings.NewReader(`{"id":1,"url":"http://a/"}` + "\n" +
		`{"id":2,"url":"http://b/"}` + "\n")
	if out, err := cmd.CombinedOutput(); err != nil || strings.Count(string(out), "\n") != 2 ||
		!strings.Contains(string(out), `{"id":2,"urlkey":"b)/"`) {
		t.Errorf("%v\n%s", err, out)
	}
}
